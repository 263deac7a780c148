// What a poll of a graph has to read: pure, from how far the graph has come and the time.

import { cronOf } from '../../lib/cron.ts';
import { bucketStart, DAY, HOUR } from '../../lib/time.ts';
import type { Range } from '../../provider/time.ts';
import type { Graph } from '../../store/traffic-store.ts';
import { bucketMsOf, type GraphOptions, type TrafficOptions } from './options.ts';

/**
 * The API takes a service filter for the last 7 days only. A few hours less keep clear of the edge: graphs wait
 * for one another, and daylight saving moves the start of a window back.
 */
const SERVICE_FILTER_AGE = 7 * DAY - 4 * HOUR;

/** Ranges of bucket boundaries [from, to), in ms and in the order to read them. */
export interface Reading {
  readonly ranges: readonly Range[];
  /** Whether they reach back as far as a deep reread. */
  readonly isDeep: boolean;
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

/** Whether the graph's schedule, or that of the deep reread, has had a slot since it was last read. */
export const isDue = (
  options: TrafficOptions,
  { schedule = options.schedule }: GraphOptions,
  graph: Graph,
  zone: string,
  now: number,
): boolean => {
  const { readAt } = graph;
  if (readAt === null || readAt > now) return true;
  return cronOf(schedule, zone).next(readAt) <= now || isDeepDue(options, graph, zone, now);
};

/**
 * From the trailing window, further back after downtime, to the end of the bucket that is still growing; at the
 * slots of the deep reread then what lies before, so that an old window that fails holds up nothing new.
 */
export const planReading = (
  options: TrafficOptions,
  settings: GraphOptions,
  graph: Graph,
  zones: Zones,
  now: number,
): Reading => {
  const bucketMs = bucketMsOf(options);
  const oldest = Math.max(graph.floor, floorAt(options, settings, zones.data, now));
  const startOf = (at: number): number => Math.max(oldest, bucketStart(zones.data, at, bucketMs));
  const to = bucketStart(zones.data, now, bucketMs) + bucketMs;
  const trailing = graph.watermark === null ? oldest : Math.min(graph.watermark, now) - options.reread;
  const recent = { from: startOf(trailing), to };
  if (!isDeepDue(options, graph, zones.schedule, now)) return { ranges: [recent], isDeep: false };
  const before = { from: startOf(now - options.deep_reread.span), to: recent.from };
  return { ranges: before.from < before.to ? [recent, before] : [recent], isDeep: true };
};

/** The first complete reading was as deep as any. */
const isDeepDue = (
  { deep_reread }: TrafficOptions,
  { baselinedAt, deepReadAt }: Graph,
  zone: string,
  now: number,
): boolean =>
  baselinedAt !== null &&
  ((deepReadAt ?? 0) > now || cronOf(deep_reread.schedule, zone).next(deepReadAt ?? baselinedAt) <= now);
