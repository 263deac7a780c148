// What a poll of a graph has to read: pure, from how far the graph has come and the time.

import { cronOf } from '../../lib/cron.ts';
import { bucketStart, DAY, HOUR } from '../../lib/time.ts';
import type { Range } from '../../provider/time.ts';
import type { Graph } from '../../store/traffic-store.ts';
import type { Attempts } from './attempts.ts';
import { bucketMsOf, type GraphOptions, type TrafficOptions } from './options.ts';

/**
 * The API takes a service filter for the last 7 days only. A few hours less keep clear of the edge: graphs wait
 * for one another, and daylight saving moves the start of a window back.
 */
const SERVICE_FILTER_AGE = 7 * DAY - 4 * HOUR;

/** Ranges of bucket boundaries [from, to), in ms. */
export interface Plan {
  readonly recent: Range;
  /** To be read after it; empty where `recent` reaches back as far, and null when it is not due. */
  readonly deep: Range | null;
}

export interface Zones {
  /** Of the provider's datetimes. */
  readonly data: string;
  /** Of the schedules. */
  readonly schedule: string;
}

/** Where the history of a graph begins that is opened at `now`: buckets before it never count. */
export const floorAt = (options: TrafficOptions, graph: GraphOptions, zone: string, now: number): number => {
  const limit = graph.service_id === undefined ? Number.POSITIVE_INFINITY : SERVICE_FILTER_AGE;
  return bucketStart(zone, now - Math.min(options.catch_up, limit), bucketMsOf(options));
};

/**
 * What is due of a graph: from the trailing window, further back after downtime, to the end of the bucket that is
 * still growing; at the slots of the deep reread then what lies before, so that an old window that fails holds up
 * nothing new. Undefined when neither schedule has had a slot since it was last tried, or failures are waited out.
 */
export const planPoll = (
  options: TrafficOptions,
  settings: GraphOptions,
  graph: Graph,
  attempts: Attempts,
  zones: Zones,
  now: number,
): Plan | undefined => {
  if (attempts.isPatient(settings.name, 'recent', now)) return undefined;
  const isDeepDue =
    isDeepSlotDue(options, graph, zones.schedule, now) && !attempts.isPatient(settings.name, 'deep', now);
  if (!isDeepDue && !isSlotDue(options, settings, graph, attempts, zones.schedule, now)) return undefined;
  const bucketMs = bucketMsOf(options);
  const oldest = Math.max(graph.floor, floorAt(options, settings, zones.data, now));
  const startOf = (at: number): number => Math.max(oldest, bucketStart(zones.data, at, bucketMs));
  const to = bucketStart(zones.data, now, bucketMs) + bucketMs;
  const trailing = graph.watermark === null ? oldest : Math.min(graph.watermark, now) - options.reread;
  const recent = { from: startOf(trailing), to };
  const deepFrom = startOf(now - options.deep_reread.span);
  return { recent, deep: isDeepDue ? { from: Math.min(deepFrom, recent.from), to: recent.from } : null };
};

/** Whether the graph's schedule has had a slot since it was last tried. */
const isSlotDue = (
  options: TrafficOptions,
  { name, schedule = options.schedule }: GraphOptions,
  { readAt }: Graph,
  attempts: Attempts,
  zone: string,
  now: number,
): boolean => {
  const failedAt = attempts.failedAt(name, 'recent');
  const triedAt = failedAt === null ? readAt : Math.max(readAt ?? 0, failedAt);
  return triedAt === null || triedAt > now || cronOf(schedule, zone).next(triedAt) <= now;
};

/** The first complete reading was as deep as any. */
const isDeepSlotDue = (
  { deep_reread }: TrafficOptions,
  { baselinedAt, deepReadAt }: Graph,
  zone: string,
  now: number,
): boolean =>
  baselinedAt !== null &&
  ((deepReadAt ?? 0) > now || cronOf(deep_reread.schedule, zone).next(deepReadAt ?? baselinedAt) <= now);
