// What a poll of a graph has to read: pure, from how far the graph has come and the time.

import { cronOf } from '../../lib/cron.ts';
import { bucketStart, DAY } from '../../lib/time.ts';
import type { Graph } from '../../store/traffic-store.ts';
import { bucketMsOf, type GraphOptions, type TrafficOptions } from './options.ts';

/** The API takes a service filter for the last 7 days only; a bucket less keeps clear of the edge. */
const SERVICE_FILTER_AGE = 7 * DAY;

/** A range of bucket boundaries [from, to), in ms. */
export interface Reading {
  readonly from: number;
  readonly to: number;
  /** Whether it reaches back as far as a deep reread. */
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
  const bucketMs = bucketMsOf(options);
  const limit = graph.service_id === undefined ? Number.POSITIVE_INFINITY : SERVICE_FILTER_AGE - bucketMs;
  return bucketStart(zone, now - Math.min(options.catch_up, limit), bucketMs);
};

/** Whether the graph's schedule has had a slot since it was last read. */
export const isDue = (graph: Graph, schedule: string, zone: string, now: number): boolean =>
  graph.readAt === null || graph.readAt > now || cronOf(schedule, zone).next(graph.readAt) <= now;

/**
 * From the trailing window, further back after downtime and at the slots of the deep reread, to the end of
 * the bucket that is still growing.
 */
export const planReading = (
  options: TrafficOptions,
  settings: GraphOptions,
  graph: Graph,
  zones: Zones,
  now: number,
): Reading => {
  const bucketMs = bucketMsOf(options);
  const to = bucketStart(zones.data, now, bucketMs) + bucketMs;
  const oldest = Math.max(graph.floor, floorAt(options, settings, zones.data, now));
  if (graph.watermark === null) return { from: oldest, to, isDeep: true };
  const deepSince = graph.deepReadAt ?? graph.baselinedAt ?? 0;
  const isDeep = cronOf(options.deep_reread.schedule, zones.schedule).next(deepSince) <= now;
  const trailing = Math.min(graph.watermark, now) - options.reread;
  const from = isDeep ? Math.min(trailing, now - options.deep_reread.span) : trailing;
  return { from: Math.max(oldest, bucketStart(zones.data, from, bucketMs)), to, isDeep };
};
