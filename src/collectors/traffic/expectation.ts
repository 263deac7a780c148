// Checks expectations of minimum traffic, and counts the requests that they are compared with.

import { type Hours, hourCount } from '../../config/time.ts';
import { DAY, HOUR, zoneOffset } from '../../lib/time.ts';
import { overlaps } from '../../store/gap.ts';
import type { Graph } from '../../store/traffic-store.ts';
import type { ReadContext } from '../context.ts';
import { isCurrent, newestTrafficEnd } from './newest-traffic.ts';
import type { Expectation, TrafficOptions } from './options.ts';

/** Returns why the expectation can never be checked; undefined if it can. */
export const expectationMistake = ({ within, hours }: Expectation, bucketMs: number): string | undefined => {
  if (within < bucketMs) return 'expected at least the interval of the traffic';
  return within > hourCount(hours) * HOUR ? 'expected at most as long as the configured hours' : undefined;
};

/**
 * Counts the requests in the newest `within` of the graph's known time. Returns undefined if the count proves nothing:
 * outside the hours, directly after they began, if the graph was first read during that time, and over a gap.
 *
 * The known time ends with the newest traffic of the whole account, because the provider publishes late. It ends at
 * most `reread` before the watermark, because data should not be later than that.
 */
export const observedRequests = async (
  { account, options, store }: ReadContext<TrafficOptions>,
  { within, hours }: Expectation,
  graph: Graph,
  accountGraph: Graph | undefined,
): Promise<number | undefined> => {
  const { watermark, baselinedAt } = graph;
  if (!accountGraph || watermark === null || baselinedAt === null || !isCurrent(graph)) return undefined;
  const publishedUntil = Math.min(
    watermark,
    (await newestTrafficEnd(store, accountGraph, options.reread)) ?? 0,
  );
  const to = Math.max(publishedUntil, watermark - options.reread);
  const from = to - within;
  if (from < baselinedAt || !isWithin(hours, account.schedule_time_zone, from, to)) return undefined;
  if (overlaps(graph.gaps, from, to)) return undefined;
  return (await store.traffic.sums(graph.id, from, to)).requests ?? undefined;
};

/** Whether [from, to], which is at most a day long, lies completely within the hours of one day. */
export const isWithin = (hours: Hours, zone: string, from: number, to: number): boolean => {
  const lengthMs = hourCount(hours) * HOUR;
  if (lengthMs === DAY) return true;
  const sinceOpening = (at: number): number => {
    const timeOfDay = (at + zoneOffset(zone, at)) % DAY;
    return (timeOfDay - hours.from * HOUR + DAY) % DAY;
  };
  const [first, last] = [sinceOpening(from), sinceOpening(to)];
  return first <= last && last <= lengthMs;
};
