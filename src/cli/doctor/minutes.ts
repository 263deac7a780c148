// The newest minutes with traffic, by their labels, whatever zone these are in.

import { HOUR, MINUTE } from '../../lib/time.ts';
import { readGraph } from '../../provider/analytics.ts';
import { errorOf, providersNow, type Visit } from './visit.ts';

/** Local time is 12 hours behind UTC to 14 ahead of it; an hour of traffic more tells how steady it is. */
const BEHIND_MS = 13 * HOUR;
const AHEAD_MS = 15 * HOUR;
/** Between two windows, as the longest range that may be asked for at once is not known. */
const MIDDLE_MS = HOUR;

/** Notes the minutes that are past in every zone but few. Throws ProviderError. */
export const readPast = async (visit: Visit, signal: AbortSignal): Promise<void> => {
  const now = minuteOf(visit);
  visit.notes.minutes = await readMinutes(visit, now - BEHIND_MS, now + MIDDLE_MS, signal);
};

/** Adds those that zones ahead of UTC have already; undefined when they can't be told. */
export const withAhead = async (
  visit: Visit,
  past: readonly number[],
): Promise<readonly number[] | undefined> => {
  const now = minuteOf(visit);
  let ahead: readonly number[] = [];
  const error = await errorOf(visit, 'analytics/graph', async (signal) => {
    ahead = await readMinutes(visit, now + MIDDLE_MS, now + AHEAD_MS, signal);
  });
  // A range that only begins in the future may be refused: then the zone is none of those ahead.
  return error === undefined || error.kind === 'rejected' ? [...past, ...ahead] : undefined;
};

/** Read as if the provider's zone were UTC, in which no label names two instants. */
const readMinutes = async (
  { account: { parameters }, client }: Visit,
  from: number,
  to: number,
  signal: AbortSignal,
): Promise<number[]> => {
  const { buckets } = await readGraph(client, {
    ...{ filter: {}, interval: 'minute', from, to, signal },
    ...{ concurrency: false, timeZone: 'UTC' },
    parameters: { productType: parameters.product_type, concurrency: parameters.concurrency },
  });
  return buckets.filter(({ requests }) => requests > 0).map(({ at }) => at);
};

const minuteOf = ({ notes }: Visit): number => Math.floor(providersNow(notes) / MINUTE) * MINUTE;
