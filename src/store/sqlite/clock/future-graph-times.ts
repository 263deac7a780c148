// Corrects times of graphs that lie in the future.

import type { Database } from '../file/database.ts';

export interface FutureGraphTimes {
  /** Returns graphs with a time after `now`, and when they were last read (ms). */
  inFuture(now: number): { readonly id: number; readonly readAt: number | null }[];
  /** Sets the graph's future times to `now` (ms), unless it was read since `readAt`. Inside a transaction. */
  correct(graph: { readonly id: number; readonly readAt: number | null }, now: number): void;
}

/**
 * SQL for a future time after which the graph has no traffic: the clock was ahead when it was stored. If there is
 * traffic after it, the current clock is behind, as on a machine that has not synchronized yet, and history before the
 * time must not count. Future minutes that the provider lists contain zeros.
 */
const withoutTrafficSince = (column: string): string =>
  `${column} > @now AND NOT EXISTS (
    SELECT 1 FROM bucket WHERE graph_id = graph.id AND at >= ${column} AND (bytes > 0 OR requests > 0))`;

const ROLLED_UP_UNTIL = `coalesce(
  (SELECT max(at + width_ms) FROM rolled_up_bucket WHERE graph_id = graph.id AND at <= @now), 0)`;

/** SQL for a graph whose history would only begin in the future. */
export const HAS_FUTURE_FLOOR = `${withoutTrafficSince('floor')} AND floor > ${ROLLED_UP_UNTIL}`;

const IS_UNCHANGED_GRAPH = 'id = @id AND read_at IS @readAt';

const STEPS: readonly string[] = [
  // The graph is read again, back to where it is rolled up. Its counters continue.
  `DELETE FROM rolled_up_bucket WHERE graph_id = @id AND at > @now
     AND EXISTS (SELECT 1 FROM graph WHERE ${IS_UNCHANGED_GRAPH} AND ${HAS_FUTURE_FLOOR})`,
  `DELETE FROM graph_gap WHERE graph_id = @id
     AND EXISTS (SELECT 1 FROM graph WHERE ${IS_UNCHANGED_GRAPH} AND ${HAS_FUTURE_FLOOR})`,
  `UPDATE graph SET floor = ${ROLLED_UP_UNTIL}, baselined_at = NULL, watermark = NULL, deep_read_at = NULL
   WHERE ${IS_UNCHANGED_GRAPH} AND ${HAS_FUTURE_FLOOR}`,
  `UPDATE graph SET baselined_at = @now WHERE ${IS_UNCHANGED_GRAPH} AND ${withoutTrafficSince('baselined_at')}`,
  // Gaps in the future are dropped: that time is read once it has passed.
  `DELETE FROM graph_gap WHERE graph_id = @id AND from_at >= @now
     AND EXISTS (SELECT 1 FROM graph WHERE ${IS_UNCHANGED_GRAPH})`,
  `UPDATE graph_gap SET to_at = min(to_at, @now), tried_at = min(tried_at, @now)
   WHERE graph_id = @id AND EXISTS (SELECT 1 FROM graph WHERE ${IS_UNCHANGED_GRAPH})`,
  `UPDATE graph SET watermark = min(watermark, @now), deep_read_at = min(deep_read_at, @now),
     read_at = min(read_at, @now), history_until = min(history_until, @now) WHERE ${IS_UNCHANGED_GRAPH}`,
];

export const createFutureGraphTimes = ({ sql }: Database): FutureGraphTimes => {
  const inFuture = sql.prepare<{ now: number }, { id: number; readAt: number | null }>(
    `SELECT id, read_at AS readAt FROM graph
     WHERE max(floor, coalesce(baselined_at, 0), coalesce(watermark, 0), coalesce(read_at, 0), coalesce(deep_read_at, 0)) > @now`,
  );
  const steps = STEPS.map((step) => sql.prepare(step));
  return {
    inFuture: (now) => inFuture.all({ now }),
    correct: (graph, now) => {
      for (const step of steps) step.run({ ...graph, now });
    },
  };
};
