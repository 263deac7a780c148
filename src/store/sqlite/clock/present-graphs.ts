// Corrects times of graphs that lie in the future.

import type { Database } from '../file/database.ts';

/** Brings the graph's times to `now` (ms), unless it was read since `readAt`. Inside a transaction. */
export interface GraphTimes {
  /** Graphs with a time after `now`, and when they were last read (ms). */
  ahead(now: number): { readonly id: number; readonly readAt: number | null }[];
  toPresent(graph: { readonly id: number; readonly readAt: number | null }, now: number): void;
}

/**
 * A future time of a graph without traffic since: a clock was ahead. With traffic since, the present clock is behind, as
 * on a machine that has not synchronized yet, and history before the time must not count. Future minutes that the
 * provider lists have zeros.
 */
const withoutTrafficSince = (column: string): string =>
  `${column} > @now AND NOT EXISTS (
    SELECT 1 FROM bucket WHERE graph_id = graph.id AND at >= ${column} AND (bytes > 0 OR requests > 0))`;

const ROLLED_UP = `coalesce(
  (SELECT max(at + width_ms) FROM old_bucket WHERE graph_id = graph.id AND at <= @now), 0)`;

/** A graph whose history would only begin in the future. */
export const BEGINS_AHEAD = `${withoutTrafficSince('floor')} AND floor > ${ROLLED_UP}`;

const THIS_ONE = 'id = @id AND read_at IS @readAt';

const STEPS: readonly string[] = [
  // The graph is read again, as far back as it is not rolled up; its counters go on.
  `DELETE FROM old_bucket WHERE graph_id = @id AND at > @now
     AND EXISTS (SELECT 1 FROM graph WHERE ${THIS_ONE} AND ${BEGINS_AHEAD})`,
  `DELETE FROM graph_gap WHERE graph_id = @id AND EXISTS (SELECT 1 FROM graph WHERE ${THIS_ONE} AND ${BEGINS_AHEAD})`,
  `UPDATE graph SET floor = ${ROLLED_UP}, baselined_at = NULL, watermark = NULL, deep_read_at = NULL
   WHERE ${THIS_ONE} AND ${BEGINS_AHEAD}`,
  `UPDATE graph SET baselined_at = @now WHERE ${THIS_ONE} AND ${withoutTrafficSince('baselined_at')}`,
  // Gaps in the future are dropped: that time is read once it has passed.
  `DELETE FROM graph_gap WHERE graph_id = @id AND from_at >= @now AND EXISTS (SELECT 1 FROM graph WHERE ${THIS_ONE})`,
  `UPDATE graph_gap SET to_at = min(to_at, @now), tried_at = min(tried_at, @now)
   WHERE graph_id = @id AND EXISTS (SELECT 1 FROM graph WHERE ${THIS_ONE})`,
  `UPDATE graph SET watermark = min(watermark, @now), deep_read_at = min(deep_read_at, @now),
     read_at = min(read_at, @now), history_until = min(history_until, @now) WHERE ${THIS_ONE}`,
];

export const createGraphTimes = ({ sql }: Database): GraphTimes => {
  const ahead = sql.prepare<{ now: number }, { id: number; readAt: number | null }>(
    `SELECT id, read_at AS readAt FROM graph
     WHERE max(floor, coalesce(baselined_at, 0), coalesce(watermark, 0), coalesce(read_at, 0), coalesce(deep_read_at, 0)) > @now`,
  );
  const steps = STEPS.map((step) => sql.prepare(step));
  return {
    ahead: (now) => ahead.all({ now }),
    toPresent: (graph, now) => {
      for (const step of steps) step.run({ ...graph, now });
    },
  };
};
