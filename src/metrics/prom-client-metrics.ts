// prom-client's metrics in the house's words: families, samples and histograms.

import {
  Counter,
  collectDefaultMetrics,
  Histogram,
  type MetricObject,
  type MetricValueWithName,
  type Registry,
} from 'prom-client';
import type { Family, SampleSink } from '../lib/family.ts';

type Value = MetricValueWithName<string>;
type Labels = Readonly<Record<string, string>>;

// Gauges whose names end in _total, and their breakdowns: promtool's linter rejects them.
const UNFIT = /^nodejs_active_(handles|requests|resources)/;

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

/** Has an empty registry collect prom-client's process and Node.js metrics, and gives their families. */
export const collectProcessMetrics = (registry: Registry): readonly Family[] => {
  collectDefaultMetrics({ register: registry });
  const metrics = registry.getMetricsAsArray();
  for (const { name } of metrics) if (UNFIT.test(name)) registry.removeSingleMetric(name);
  return metrics.filter(({ name }) => !UNFIT.test(name)).map(familyOf);
};

/** Writes the values of one metric, as `getMetricsAsJSON` gives them. */
export const writeMetric = (sink: SampleSink, family: Family, values: readonly Value[]): void => {
  if (family.type === 'histogram') writeHistograms(sink, family, values);
  else for (const { labels, value } of values) sink.sample(family, textsOf(labels), value);
};

// Of each label set come its buckets in ascending order, then +Inf, the sum and the count.
const writeHistograms = (sink: SampleSink, family: Family, values: readonly Value[]): void => {
  let bounds: number[] = [];
  let counts: number[] = [];
  let sum = 0;
  for (const { metricName, labels, value } of values) {
    if (metricName === `${family.name}_sum`) {
      sum = value;
    } else if (metricName === `${family.name}_count`) {
      sink.histogram(family, textsOf(labels), { bounds, counts, sum, count: value });
      bounds = [];
      counts = [];
    } else if (typeof labels.le === 'number') {
      bounds.push(labels.le);
      counts.push(value);
    }
  }
};

const familyOf = (metric: MetricObject): Family => {
  // prom-client's types leave out the label names, and take the type's name for a number.
  const { name, type, help, labelNames } = metric as unknown as Family & { readonly labelNames: string[] };
  return { name, type, help, labels: labelNames };
};

const textsOf = (labels: Value['labels']): Labels =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));
