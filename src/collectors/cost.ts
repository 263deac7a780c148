// Estimates what a collector's options cost before the collector runs.

import { cronOf } from '../lib/cron.ts';
import { DAY } from '../lib/time.ts';

export interface Cost {
  /** API requests in a day. */
  readonly requestsPerDay: number;
  /** Series in /metrics. */
  readonly series: number;
  /** Test runs in a day, which count against the provider's daily budget. */
  readonly testRunsPerDay?: number;
  /** Bytes that tests send through the proxies in a day. */
  readonly proxyBytesPerDay?: number;
  /** The assumptions behind the figures. */
  readonly assumptions: readonly string[];
  /** Settings that cannot be met as they are configured. */
  readonly warnings: readonly string[];
}

/** Counts the slots of a schedule in the day that starts at `from` (ms). */
export const slotsPerDay = (schedule: string, zone: string, from: number): number => {
  const cron = cronOf(schedule, zone);
  let slots = 0;
  for (let at = cron.next(from); at <= from + DAY; at = cron.next(at)) slots += 1;
  return slots;
};
