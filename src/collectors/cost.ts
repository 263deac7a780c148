// What a collector's options will cost, told before they run.

import { cronOf } from '../lib/cron.ts';
import { DAY } from '../lib/time.ts';

export interface Cost {
  /** Requests of the API, over a day. */
  readonly requestsPerDay: number;
  /** Series on /metrics. */
  readonly series: number;
  /** Test runs of the provider's daily budget. */
  readonly testRunsPerDay?: number;
  /** Bytes that tests send through the proxies. */
  readonly proxyBytesPerDay?: number;
  /** What the figures take for granted. */
  readonly assumptions: readonly string[];
  /** What can't be kept as it is configured. */
  readonly warnings: readonly string[];
}

/** How often a schedule comes in the day that starts at `from` (ms). */
export const slotsPerDay = (schedule: string, zone: string, from: number): number => {
  const cron = cronOf(schedule, zone);
  let slots = 0;
  for (let at = cron.next(from); at <= from + DAY; at = cron.next(at)) slots += 1;
  return slots;
};
