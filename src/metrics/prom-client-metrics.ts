// Translates between prom-client's metrics and those of proxywatch, and corrects the delay of the event loop.

import {
  Counter,
  collectDefaultMetrics,
  Histogram,
  type MetricObject,
  type MetricValueWithName,
  type Registry,
} from 'prom-client';
import type { Family, SampleSink } from '../lib/family.ts';
import { SECOND } from '../lib/time.ts';

type Values = readonly MetricValueWithName<string>[];

/** How often the delay is measured (ms). Each time wakes the process: every 10 ms took 3/4 of a small daemon's CPU time. */
const DELAY_EVERY_MS = 100;
/** These metrics summarize all measurements since the last scrape. */
const SUMMARY = /^nodejs_eventloop_lag_(min|max|mean|stddev|p\d+)_seconds$/;
const DEVIATION = /_stddev_/;
/** Without a measurement, the smallest delay is three centuries. */
const LONGEST_SECONDS = 1e9;

export class EventLoopLag {
  readonly #newest = new Map<string, Values>();

  /** Returns the values of a metric: those of the last scrape if another program has just scraped, so nothing is new. */
  correct(name: string, values: Values): Values {
    if (!SUMMARY.test(name)) return values;
    const measured = values.flatMap((value) => {
      const seconds = DEVIATION.test(name) ? value.value : withoutInterval(value.value);
      return Number.isFinite(seconds) ? [{ ...value, value: seconds }] : [];
    });
    if (measured.length > 0) this.#newest.set(name, measured);
    return this.#newest.get(name) ?? [];
  }
}

/** Node.js records the time between two measurements. Returns NaN if there was no measurement. */
const withoutInterval = (seconds: number): number => {
  const interval = DELAY_EVERY_MS / SECOND;
  const isMeasured = seconds >= interval / 2 && seconds < LONGEST_SECONDS;
  return isMeasured ? Math.max(0, seconds - interval) : Number.NaN;
};

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
