// Translates between prom-client's metrics and the families, samples and histograms of proxywatch.

import {
  Counter,
  collectDefaultMetrics,
  Histogram,
  type MetricObject,
  type MetricValueWithName,
  type Registry,
} from 'prom-client';
import type { Family, SampleSink } from '../lib/family.ts';
import { DELAY_EVERY_MS } from './event-loop-lag.ts';

type Value = MetricValueWithName<string>;
type Labels = Readonly<Record<string, string>>;

// These gauges have names that end in _total, which promtool's linter rejects. The others are their breakdowns.
const REJECTED_BY_PROMTOOL = /^nodejs_active_(handles|requests|resources)/;

export const promCounter = <L extends string>(
  { name, help, labels }: Family<L>,
  registry: Registry,
): Counter<L> => new Counter({ name, help, labelNames: labels, registers: [registry] });

export const promHistogram = <L extends string>(
  { name, help, labels }: Family<L>,
  buckets: readonly number[],
  registry: Registry,
): Histogram<L> =>
  new Histogram({ name, help, labelNames: labels, buckets: [...buckets], registers: [registry] });

/** Adds prom-client's metrics about the process and Node.js to an empty registry, and returns their families. */
export const collectProcessMetrics = (registry: Registry): readonly Family[] => {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: DELAY_EVERY_MS });
  const metrics = registry.getMetricsAsArray();
  for (const { name } of metrics) if (REJECTED_BY_PROMTOOL.test(name)) registry.removeSingleMetric(name);
  return metrics.filter(({ name }) => !REJECTED_BY_PROMTOOL.test(name)).map(familyOf);
};

/** Writes the values of one metric, in the form that `getMetricsAsJSON` returns. */
export const writeMetric = (sink: SampleSink, family: Family, values: readonly Value[]): void => {
  if (family.type === 'histogram') writeHistograms(sink, family, values);
  else for (const { labels, value } of values) sink.sample(family, stringLabels(labels), value);
};

// For each label set the values are its buckets in ascending order, then +Inf, the sum and the count.
const writeHistograms = (sink: SampleSink, family: Family, values: readonly Value[]): void => {
  let bounds: number[] = [];
  let counts: number[] = [];
  let sum = 0;
  for (const { metricName, labels, value } of values) {
    if (metricName === `${family.name}_sum`) {
      sum = value;
    } else if (metricName === `${family.name}_count`) {
      sink.histogram(family, stringLabels(labels), { bounds, counts, sum, count: value });
      bounds = [];
      counts = [];
    } else if (typeof labels.le === 'number') {
      bounds.push(labels.le);
      counts.push(value);
    }
  }
};

const familyOf = (metric: MetricObject): Family => {
  // prom-client's types lack the label names, and declare the type's name as a number.
  const { name, type, help, labelNames } = metric as unknown as Family & { readonly labelNames: string[] };
  return { name, type, help, labels: labelNames };
};

const stringLabels = (labels: Value['labels']): Labels =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));
