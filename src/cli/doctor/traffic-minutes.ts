// Reads the labels of the newest minutes with traffic, in whatever time zone the provider uses.

import { HOUR, MINUTE, zoneOffset } from '../../lib/time.ts';
import { readGraph } from '../../provider/resources/analytics.ts';
import { type AccountSession, captureError, providerNow } from './account-session.ts';

/** Two windows span the largest difference between time zones, and one request can cover a window. */
const WINDOW_MS = 13 * HOUR;

/** Records the minutes of the last hours in the configured zone, a range that a collector requests too. Throws ProviderError. */
export const readRecentMinutes = async (session: AccountSession, signal: AbortSignal): Promise<void> => {
  const end = localEnd(session);
  session.observations.minutes = await readMinutes(session, end - WINDOW_MS, signal);
};

/** Adds the minutes that the provider has if it uses another zone; returns undefined if the graph did not answer. */
export const addMinutesOfOtherZones = async (
  session: AccountSession,
  recent: readonly number[],
): Promise<readonly number[] | undefined> => {
  const end = localEnd(session);
  const found = new Set(recent);
  const isNeeded = (start: number): boolean => {
    // Traffic in the recent window rules out a zone far behind. If the window ahead has no traffic, later ones have none either.
    if (start < end) return recent.length === 0;
    return start === end || [...found].some((at) => at >= end);
  };
  for (const start of [end - 2 * WINDOW_MS, end, end + WINDOW_MS]) {
    if (!isNeeded(start)) continue;
    const error = await captureError(session, 'analytics/graph', async (signal) => {
      for (const at of await readMinutes(session, start, signal)) found.add(at);
    });
    // The provider may refuse a range that begins in the future; then its zone is not ahead of the configured one.
    if (error && error.kind !== 'rejected') return undefined;
  }
  return [...found].toSorted((a, b) => a - b);
};

/** Reads labels as if the zone were UTC, in which no label is ambiguous. */
const readMinutes = async (
  { account: { parameters }, client }: AccountSession,
  from: number,
  signal: AbortSignal,
): Promise<number[]> => {
  const { buckets } = await readGraph(client, {
    ...{ filter: {}, interval: 'minute', from, to: from + WINDOW_MS, signal },
    ...{ concurrency: false, timeZone: 'UTC', ignoresOffsets: true },
    parameters: { productType: parameters.product_type, concurrency: parameters.concurrency },
  });
  return buckets.filter(({ requests, bytes }) => (requests ?? bytes ?? 0) > 0).map(({ at }) => at);
};

/** Returns the end of the current minute as a label in the configured zone (ms as if UTC). */
const localEnd = ({ account, observations }: AccountSession): number => {
  const now = providerNow(observations);
  return Math.floor((now + zoneOffset(account.time_zone, now)) / MINUTE + 1) * MINUTE;
};
