// Reads the configured graphs and their newest traffic from the store, and decides whether it is late or less than expected.

import { type Hours, hourCount } from '../../config/time.ts';
import { DAY, HOUR, MINUTE, zoneOffset } from '../../lib/time.ts';
import { overlaps } from '../../store/gap.ts';
import type { Store } from '../../store/store.ts';
import type { Graph, TrafficSums } from '../../store/traffic-store.ts';
import type { ReadContext } from '../context.ts';
import { type Expectation, type GraphOptions, graphsOf, type TrafficOptions } from './options.ts';

/** The length of "recent" for minute buckets. For longer buckets it is the newest bucket. */
const RECENT_MS = 15 * MINUTE;
/** A pause is unusual if it is this many times as long as any earlier one. */
const UNUSUAL_PAUSE_FACTOR = 2;
/** The shortest usable history. A shorter one does not contain the pauses of a day. */
const MIN_HISTORY_MS = DAY;

/** Whether the newest reading reached its own time, apart from gaps. Otherwise newer traffic may exist. */
const isCurrent = ({ watermark, readAt }: Graph): boolean =>
  watermark !== null && readAt !== null && watermark >= readAt;

type Stores = Pick<Store, 'traffic'>;
/** `rereadMs` is how old late data may be. */
type ReadNewest<T> = (store: Stores, graph: Graph, rereadMs: number) => Promise<T | undefined>;

/** Returns the end of the newest complete bucket with a request (ms); undefined if it is older than late data may be. */
const newestTrafficEnd: ReadNewest<number> = async ({ traffic }, { id, watermark, bucketMs }, rereadMs) => {
  if (watermark === null) return undefined;
  const newest = await traffic.newestBucketWithTraffic(id, watermark - rereadMs - bucketMs, watermark);
  return newest === undefined ? undefined : newest + bucketMs;
};

/** Adds up the newest buckets with traffic: zeros if they are older than late data may be, undefined over a gap. */
export const recentSums: ReadNewest<TrafficSums> = async (store, graph, rereadMs) => {
  if (!isCurrent(graph) || graph.baselinedAt === null) return undefined;
  const until = await newestTrafficEnd(store, graph, rereadMs);
  const { watermark, gaps, bucketMs } = graph;
  const end = watermark ?? 0;
  if (until === undefined)
    return overlaps(gaps, end - rereadMs, end) ? undefined : { requests: 0, failed: 0 };
  const from = until - Math.max(RECENT_MS, bucketMs);
  // A gap after these buckets may contain newer traffic.
  return overlaps(gaps, from, end) ? undefined : store.traffic.sums(graph.id, from, until);
};

/**
 * Returns how long (ms) traffic has been missing, if that is late data and not a pause. It is late data if it is longer
 * than the reread and three buckets, and twice as long as any pause in the stored history, because the provider may
 * leave out buckets without traffic. The result is 0 if nothing is late, and below 0 if the newest bucket lies in the
 * future.
 */
export const lateness: ReadNewest<number> = async ({ traffic }, graph, rereadMs) => {
  const { id, watermark, readAt, bucketMs, gaps } = graph;
  if (watermark === null || readAt === null || !isCurrent(graph)) return undefined;
  const newest = await traffic.newestBucket(id);
  if (newest !== undefined && newest > readAt) return readAt - newest;
  const lastTraffic = await traffic.newestBucketWithTraffic(id, 0, watermark);
  if (lastTraffic === undefined) return 0;
  if (overlaps(gaps, lastTraffic, watermark)) return undefined;
  const missingMs = watermark - (lastTraffic + bucketMs);
  if (missingMs <= rereadMs + 3 * bucketMs) return 0;
  const { firstAt, longestPauseMs } = await traffic.pauses(id, lastTraffic);
  return lastTraffic - firstAt >= MIN_HISTORY_MS && missingMs > UNUSUAL_PAUSE_FACTOR * longestPauseMs
    ? missingMs
    : 0;
};

export const readGraphs = async ({
  account,
  store,
}: Pick<ReadContext<unknown>, 'account' | 'store'>): Promise<ReadonlyMap<string, Graph>> =>
  new Map((await store.traffic.graphs(account.name)).map((graph) => [graph.name, graph]));

export interface StoredGraph {
  readonly settings: GraphOptions;
  readonly graph: Graph;
  readonly accountGraph: Graph | undefined;
}

/** Returns the graphs that were opened, the whole account first. */
export const storedGraphs = async ({
  account,
  options,
  store,
}: ReadContext<TrafficOptions>): Promise<StoredGraph[]> => {
  const graphsByName = await readGraphs({ account, store });
  const accountGraph = graphsByName.get('');
  return graphsOf(options).flatMap((settings) => {
    const graph = graphsByName.get(settings.name);
    return graph ? [{ settings, graph, accountGraph }] : [];
  });
};

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
