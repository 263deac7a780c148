// The newest minutes with traffic, by their labels, whatever zone these are in.

import { HOUR, MINUTE, zoneOffset } from '../../lib/time.ts';
import { readGraph } from '../../provider/resources/analytics.ts';
import { errorOf, providersNow, type Visit } from './visit.ts';

/** No two zones differ by more than two of these, and each may be asked for at once. */
const WINDOW_MS = 13 * HOUR;

/** Notes those of the last hours by the configured zone, which a collector might ask for too. Throws ProviderError. */
export const readPast = async (visit: Visit, signal: AbortSignal): Promise<void> => {
  const end = localEnd(visit);
  visit.notes.minutes = await readMinutes(visit, end - WINDOW_MS, signal);
};

/** Adds those that the provider has where its zone is another one; undefined where that cannot be told. */
export const withOtherZones = async (
  visit: Visit,
  past: readonly number[],
): Promise<readonly number[] | undefined> => {
  const end = localEnd(visit);
  const found = new Set(past);
  const isAsked = (start: number): boolean => {
    // Who has traffic of now is not far behind, and who has none ahead is not further ahead.
    if (start < end) return past.length === 0;
    return start === end || [...found].some((at) => at >= end);
  };
  for (const start of [end - 2 * WINDOW_MS, end, end + WINDOW_MS]) {
    if (!isAsked(start)) continue;
    const error = await errorOf(visit, 'analytics/graph', async (signal) => {
      for (const at of await readMinutes(visit, start, signal)) found.add(at);
    });
    // A range that only begins in the future may be refused: then the zone is none of those ahead.
    if (error && error.kind !== 'rejected') return undefined;
  }
  return [...found].toSorted((a, b) => a - b);
};

/** Read as if the zone were UTC, in which no label names two instants. */
const readMinutes = async (
  { account: { parameters }, client }: Visit,
  from: number,
  signal: AbortSignal,
): Promise<number[]> => {
  const { buckets } = await readGraph(client, {
    ...{ filter: {}, interval: 'minute', from, to: from + WINDOW_MS, signal },
    ...{ concurrency: false, timeZone: 'UTC' },
    parameters: { productType: parameters.product_type, concurrency: parameters.concurrency },
  });
  return buckets.filter(({ requests, bytes }) => (requests ?? bytes ?? 0) > 0).map(({ at }) => at);
};

/** End of the present minute, as the configured zone has it. */
const localEnd = ({ account, notes }: Visit): number => {
  const now = providersNow(notes);
  return Math.floor((now + zoneOffset(account.time_zone, now)) / MINUTE + 1) * MINUTE;
};
