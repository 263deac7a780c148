// Corrects prom-client's metrics about the delay of the event loop.

import type { MetricValueWithName } from 'prom-client';
import { SECOND } from '../lib/time.ts';

type Values = readonly MetricValueWithName<string>[];

/**
 * How often the delay is measured (ms). Each measurement wakes the process. With prom-client's default of 10 ms, a daemon
 * with a small account used three quarters of its CPU time for these measurements.
 */
export const DELAY_EVERY_MS = 100;
/** These metrics summarize all measurements since the last scrape. */
const SUMMARY = /^nodejs_eventloop_lag_(min|max|mean|stddev|p\d+)_seconds$/;
const DEVIATION = /_stddev_/;
/** Without a measurement, the smallest delay is three centuries. */
const LONGEST_SECONDS = 1e9;

export class EventLoopLag {
  readonly #newest = new Map<string, Values>();

  /**
   * Returns the values of a metric. If nothing was measured since the last scrape, because another program has just
   * scraped too, these are the values of that scrape.
   */
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
