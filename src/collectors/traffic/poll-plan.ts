// Plans what a poll of a graph reads, from the graph's state and the time. It has no side effects.

import { cronOf } from '../../lib/cron.ts';
import { bucketStart, DAY, HOUR } from '../../lib/time.ts';
import type { Contradiction } from '../../provider/resources/graph-totals.ts';
import type { Range } from '../../provider/time.ts';
import type { Graph } from '../../store/traffic-store.ts';
import { OLD_DATA_BACKOFF, PART_BACKOFF, PartStates } from '../parts/part-states.ts';
import { bucketMsOf, type GraphOptions, type TrafficOptions } from './options.ts';

/** The API accepts a service filter for 7 days. A few hours less allow for waits and for daylight saving. */
const SERVICE_FILTER_MAX_AGE_MS = 7 * DAY - 4 * HOUR;

/** The ranges [from, to) of a poll, on bucket boundaries (ms). */
export interface PollPlan {
  /** The newest time, which is read first. */
  readonly newest: Range;
  /** The time between `newest` and the earlier readings, which is read next. It is empty unless there was downtime. */
  readonly missed: Range;
  /** The deep reread, which is read last. It is empty if the other ranges go back as far, and null if it is not due. */
  readonly deep: Range | null;
  /** The earliest time that may be requested (ms). */
  readonly oldest: number;
}

interface Zones {
  /** The zone of the provider's datetimes. */
  readonly data: string;
  /** The zone of the schedules. */
  readonly schedule: string;
}

/** Returns the floor (ms) of a graph that is opened at `now` (ms): buckets before it never count. */
export const floorOf = (options: TrafficOptions, graph: GraphOptions, zone: string, now: number): number => {
  const limit = graph.service_id === undefined ? Number.POSITIVE_INFINITY : SERVICE_FILTER_MAX_AGE_MS;
  return bucketStart(zone, now - Math.min(options.catch_up, limit), bucketMsOf(options));
};

/**
 * Plans what is due of a graph: the trailing window to the end of the bucket that is still growing, then the time that
 * downtime left unread, then at the slots of the deep reread the time before that. In this order, an old window that
 * fails does not delay new data. Returns undefined if neither schedule has had a slot since the last attempt, or while
 * a failed graph waits.
 */
export const planPoll = (
  options: TrafficOptions,
  settings: GraphOptions,
  graph: Graph,
  { parts: states, graphsWithInvalidWindow }: TrafficState,
  zones: Zones,
  now: number,
): PollPlan | undefined => {
  const parts = partNamesOf(settings);
  // The whole account is requested at every slot.
  if (settings.name !== '' && states.isWaiting(parts.recent, PART_BACKOFF, now)) return undefined;
  const isDeepDue =
    isDeepSlotDue(options, graph, zones.schedule, now) &&
    !states.isWaiting(parts.deep, OLD_DATA_BACKOFF, now);
  if (!isDeepDue && !isSlotDue(options, settings, graph, states, zones.schedule, now)) return undefined;
  const bucketMs = bucketMsOf(options);
  const oldest = Math.max(graph.floor, floorOf(options, settings, zones.data, now));
  const startOf = (at: number): number => Math.max(oldest, bucketStart(zones.data, at, bucketMs));
  const to = bucketStart(zones.data, now, bucketMs) + bucketMs;
  const trailingFrom = startOf(
    graph.watermark === null ? oldest : Math.min(graph.watermark, now) - options.reread,
  );
  // One request is enough for a short time, unless a window of the graph was invalid in the last attempt.
  const isOneWindow = to - trailingFrom <= options.window && !graphsWithInvalidWindow.has(settings.name);
  const newestFrom = isOneWindow ? trailingFrom : Math.max(trailingFrom, startOf(now - options.reread));
  const deepFrom = startOf(now - options.deep_reread.span);
  return {
    newest: { from: newestFrom, to },
    missed: { from: trailingFrom, to: newestFrom },
    deep: isDeepDue ? { from: Math.min(deepFrom, trailingFrom), to: trailingFrom } : null,
    oldest,
  };
};

/** Whether the graph's schedule has had a slot since the last attempt. */
const isSlotDue = (
  options: TrafficOptions,
  { name, schedule = options.schedule }: GraphOptions,
  { readAt }: Graph,
  states: PartStates,
  zone: string,
  now: number,
): boolean => {
  const failedAt = states.failureOf(partNamesOf({ name }).recent)?.at;
  const triedAt = failedAt === undefined ? readAt : Math.max(readAt ?? 0, failedAt);
  return triedAt === null || triedAt > now || cronOf(schedule, zone).next(triedAt) <= now;
};

/** Whether the deep reread is due. The first complete reading went back as far as a deep reread, so it counts as one. */
const isDeepSlotDue = (
  { deep_reread }: TrafficOptions,
  { baselinedAt, deepReadAt }: Graph,
  zone: string,
  now: number,
): boolean =>
  baselinedAt !== null &&
  ((deepReadAt ?? 0) > now || cronOf(deep_reread.schedule, zone).next(deepReadAt ?? baselinedAt) <= now);

/** The state in memory. After a restart, everything is tried at once. */
export class TrafficState {
  readonly parts = new PartStates();
  /** Graphs whose newest window was invalid in the last attempt. */
  readonly graphsWithInvalidWindow = new Set<string>();
  readonly #logged = new Set<string>();

  /** Records the contradiction, and returns whether this graph has it for the first time. */
  isNewContradiction(graph: string, what: Contradiction): boolean {
    const key = JSON.stringify([graph, what]);
    const isNew = !this.#logged.has(key);
    this.#logged.add(key);
    return isNew;
  }
}

/** Returns the names of a graph's parts in the log and on the status page. The graph of the whole account has no name. */
export const partNamesOf = ({ name }: Pick<GraphOptions, 'name'>) => {
  const graph = name || 'account';
  return { recent: graph, gaps: `${graph}, gaps`, deep: `${graph}, deep reread` };
};
