// The provider's own sums of days and hours, asked for anew.

import { bucketStart, DAY, HOUR } from '../../lib/time.ts';
import { ProviderError } from '../../provider/errors.ts';
import { type GraphFilter, INTERVALS, type Interval, readGraph } from '../../provider/resources/analytics.ts';
import { windowsOf } from '../../provider/time.ts';
import type { RunContext } from '../context.ts';
import type { Day } from './days.ts';

export type Asking = Pick<RunContext<unknown>, 'account' | 'client' | 'signal'>;

/** Longest ranges asked for at once: one user saw graphs of hours come back cut to a day. */
const WINDOWS: Readonly<Record<Exclude<Interval, 'minute'>, number>> = { hour: DAY, day: 31 * DAY };

/**
 * Bytes by the start of the day (ms), of days without a gap between them; a day that the provider does not answer
 * with is absent. By hours where it rejects days. Throws ProviderError.
 */
export const readDays = async (
  asking: Asking,
  filter: GraphFilter,
  days: readonly Day[],
): Promise<ReadonlyMap<number, number>> => {
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return new Map();
  try {
    return await readSums(asking, filter, 'day', first.start, last.end);
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'rejected') throw error;
  }
  const zone = asking.account.time_zone;
  const sums = new Map<number, number>();
  for (const [at, bytes] of await readSums(asking, filter, 'hour', first.start, last.end)) {
    const start = bucketStart(zone, at, DAY);
    sums.set(start, (sums.get(start) ?? 0) + bytes);
  }
  return sums;
};

/** Bytes by the start of the hour (ms). Throws ProviderError. */
export const readHours = (asking: Asking, filter: GraphFilter, { start, end }: Day) =>
  readSums(asking, filter, 'hour', start, end);

const readSums = async (
  { account, client, signal }: Asking,
  filter: GraphFilter,
  interval: keyof typeof WINDOWS,
  from: number,
  to: number,
): Promise<Map<number, number>> => {
  const { time_zone: timeZone, parameters } = account;
  const size = { zone: timeZone, bucketMs: INTERVALS[interval], spanMs: WINDOWS[interval] };
  const sums = new Map<number, number>();
  for (const window of windowsOf(from, to, size)) {
    const { buckets } = await readGraph(client, {
      ...window,
      ...{ filter, interval, timeZone, signal },
      concurrency: false,
      parameters: { productType: parameters.product_type, concurrency: parameters.concurrency },
    });
    for (const { at, bytes } of buckets) if (bytes !== null) sums.set(at, bytes);
  }
  return sums;
};

/** The hour that holds `at` (ms), by its start. */
export const hourOf = (zone: string, at: number): number => bucketStart(zone, at, HOUR);
