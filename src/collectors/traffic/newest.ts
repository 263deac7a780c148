// The newest traffic of a graph: what it is, and whether it is later than usual.

import { DAY, MINUTE } from '../../lib/time.ts';
import { overlaps } from '../../store/gap.ts';
import type { Store } from '../../store/store.ts';
import type { Graph, TrafficSums } from '../../store/traffic-store.ts';

/** What "lately" is, in buckets of a minute; of longer buckets it is the newest one. */
const RECENT_MS = 15 * MINUTE;
/** A pause is unusual when it is so many times as long as any before. */
const UNUSUAL = 2;
/** A shorter history does not hold the pauses of a day. */
const MIN_HISTORY_MS = DAY;

/** Whether the newest reading reached its present, whatever was passed by: else what is newest is not the newest there is. */
export const isCurrent = ({ watermark, readAt }: Graph): boolean =>
  watermark !== null && readAt !== null && watermark >= readAt;

/** End of the newest complete bucket with a request (ms); undefined where that is older than late data may be. */
export const busyUntil = async (
  { traffic }: Pick<Store, 'traffic'>,
  { id, watermark, bucketMs }: Graph,
  rereadMs: number,
): Promise<number | undefined> => {
  if (watermark === null) return undefined;
  const newest = await traffic.lastBusy(id, watermark - rereadMs - bucketMs, watermark);
  return newest === undefined ? undefined : newest + bucketMs;
};

/** Sums of the newest buckets with traffic; zeros where they are older than late data may be, nothing over a gap. */
export const recentSums = async (
  store: Pick<Store, 'traffic'>,
  graph: Graph,
  rereadMs: number,
): Promise<TrafficSums | undefined> => {
  if (!isCurrent(graph) || graph.baselinedAt === null) return undefined;
  const until = await busyUntil(store, graph, rereadMs);
  const { watermark, gaps, bucketMs } = graph;
  const end = watermark ?? 0;
  if (until === undefined)
    return overlaps(gaps, end - rereadMs, end) ? undefined : { requests: 0, failed: 0 };
  const from = until - Math.max(RECENT_MS, bucketMs);
  // What lies between may be newer traffic.
  return overlaps(gaps, from, end) ? undefined : store.traffic.sums(graph.id, from, until);
};

/**
 * For how long (ms) traffic has been missing in a way that is late data rather than a pause: longer than the reread and
 * three buckets, and twice as long as any pause in the stored history, since of a bucket without traffic the provider
 * may say nothing. 0 while all is well, below 0 for a newest bucket that is yet to begin.
 */
export const lateness = async (
  { traffic }: Pick<Store, 'traffic'>,
  graph: Graph,
  rereadMs: number,
): Promise<number | undefined> => {
  const { id, watermark, readAt, bucketMs, gaps } = graph;
  if (watermark === null || readAt === null || !isCurrent(graph)) return undefined;
  const newest = await traffic.newestBucket(id);
  if (newest !== undefined && newest > readAt) return readAt - newest;
  const busy = await traffic.lastBusy(id, 0, watermark);
  if (busy === undefined) return 0;
  if (overlaps(gaps, busy, watermark)) return undefined;
  const missingMs = watermark - (busy + bucketMs);
  if (missingMs <= rereadMs + 3 * bucketMs) return 0;
  const { firstAt, longestPauseMs } = await traffic.pauses(id, busy);
  return busy - firstAt >= MIN_HISTORY_MS && missingMs > UNUSUAL * longestPauseMs ? missingMs : 0;
};
