// What a poll of a graph has to read: pure, from how far the graph has come and the time.

import { cronOf } from '../../lib/cron.ts';
import { bucketStart, DAY, HOUR } from '../../lib/time.ts';
import type { Range } from '../../provider/time.ts';
import type { Graph } from '../../store/traffic-store.ts';
import { DEEP_WAITS, PART_WAITS, type PartStates } from '../parts/part-states.ts';
import { bucketMsOf, type GraphOptions, type TrafficOptions } from './options.ts';
import { partsOf, type TrafficState } from './parts.ts';

/**
 * The API takes a service filter for the last 7 days only. A few hours less keep clear of the edge: graphs wait
 * for one another, and daylight saving moves the start of a window back.
 */
const SERVICE_FILTER_AGE = 7 * DAY - 4 * HOUR;

/** Ranges of bucket boundaries [from, to), in ms. */
export interface Plan {
  /** What is newest, and to be read first. */
  readonly newest: Range;
  /** What lies between it and what was read before; to be read after it, and empty unless there was downtime. */
  readonly missed: Range;
  /** To be read last; empty where the others reach back as far, and null when it is not due. */
  readonly deep: Range | null;
  /** Start of what may be asked for (ms). */
  readonly oldest: number;
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
 * What is due of a graph: the trailing window, to the end of the bucket that is still growing; what downtime has left
 * before it; at the slots of the deep reread then what lies before that. So an old window that fails holds up nothing
 * new. Undefined when neither schedule has had a slot since it was last tried, or failures are waited out.
 */
export const planPoll = (
  options: TrafficOptions,
  settings: GraphOptions,
  graph: Graph,
  { parts: states, odd }: TrafficState,
  zones: Zones,
  now: number,
): Plan | undefined => {
  const parts = partsOf(settings);
  // The whole account is tried at every slot.
  if (settings.name !== '' && states.isWaiting(parts.recent, PART_WAITS, now)) return undefined;
  const isDeepDue =
    isDeepSlotDue(options, graph, zones.schedule, now) && !states.isWaiting(parts.deep, DEEP_WAITS, now);
  if (!isDeepDue && !isSlotDue(options, settings, graph, states, zones.schedule, now)) return undefined;
  const bucketMs = bucketMsOf(options);
  const oldest = Math.max(graph.floor, floorAt(options, settings, zones.data, now));
  const startOf = (at: number): number => Math.max(oldest, bucketStart(zones.data, at, bucketMs));
  const to = bucketStart(zones.data, now, bucketMs) + bucketMs;
  const trailing = startOf(
    graph.watermark === null ? oldest : Math.min(graph.watermark, now) - options.reread,
  );
  // One request is enough for a short time, unless something of it made no sense before.
  const isOneWindow = to - trailing <= options.window && !odd.has(settings.name);
  const newestFrom = isOneWindow ? trailing : Math.max(trailing, startOf(now - options.reread));
  const deepFrom = startOf(now - options.deep_reread.span);
  return {
    newest: { from: newestFrom, to },
    missed: { from: trailing, to: newestFrom },
    deep: isDeepDue ? { from: Math.min(deepFrom, trailing), to: trailing } : null,
    oldest,
  };
};

/** Whether the graph's schedule has had a slot since it was last tried. */
const isSlotDue = (
  options: TrafficOptions,
  { name, schedule = options.schedule }: GraphOptions,
  { readAt }: Graph,
  states: PartStates,
  zone: string,
  now: number,
): boolean => {
  const failedAt = states.failure(partsOf({ name }).recent)?.at;
  const triedAt = failedAt === undefined ? readAt : Math.max(readAt ?? 0, failedAt);
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
