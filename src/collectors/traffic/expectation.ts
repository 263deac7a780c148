// What traffic is expected at the least, and what there was of it: pure, but for readings of the store.

import { type Hours, lengthOf } from '../../config/hours.ts';
import { DAY, HOUR, zoneOffset } from '../../lib/time.ts';
import { overlaps } from '../../store/gap.ts';
import type { Graph } from '../../store/traffic-store.ts';
import type { ReadContext } from '../context.ts';
import type { Expectation } from './expect-options.ts';
import { busyUntil, isCurrent } from './newest.ts';
import type { TrafficOptions } from './options.ts';

/** Why the expectation can never be judged; undefined where it can. */
export const mistakeIn = ({ within, hours }: Expectation, bucketMs: number): string | undefined => {
  if (within < bucketMs) return 'expected no less than an interval';
  return within > lengthOf(hours) * HOUR ? 'expected no more than the hours are long' : undefined;
};

/**
 * Requests of the newest `within` of what is known of the graph. Undefined where that says nothing: outside of the
 * hours, right after they began, for a graph that was read for the first time only since, and over a gap.
 *
 * What is known ends with the newest traffic of the whole account, for the provider publishes late; later than the
 * reread it should not.
 */
export const observedRequests = async (
  { account, options, store }: ReadContext<TrafficOptions>,
  { within, hours }: Expectation,
  graph: Graph,
  whole: Graph | undefined,
): Promise<number | undefined> => {
  const { watermark, baselinedAt } = graph;
  if (!whole || watermark === null || baselinedAt === null || !isCurrent(graph)) return undefined;
  const publishedUntil = Math.min(watermark, (await busyUntil(store, whole, options.reread)) ?? 0);
  const to = Math.max(publishedUntil, watermark - options.reread);
  const from = to - within;
  if (from < baselinedAt || !isWithin(hours, account.schedule_time_zone, from, to)) return undefined;
  if (overlaps(graph.gaps, from, to)) return undefined;
  return (await store.traffic.sums(graph.id, from, to)).requests ?? undefined;
};

/** Whether all of [from, to], at most a day, lies in the hours of one day. */
export const isWithin = (hours: Hours, zone: string, from: number, to: number): boolean => {
  const lengthMs = lengthOf(hours) * HOUR;
  if (lengthMs === DAY) return true;
  const sinceOpening = (at: number): number => {
    const ofDay = (at + zoneOffset(zone, at)) % DAY;
    return (ofDay - hours.from * HOUR + DAY) % DAY;
  };
  const [first, last] = [sinceOpening(from), sinceOpening(to)];
  return first <= last && last <= lengthMs;
};
