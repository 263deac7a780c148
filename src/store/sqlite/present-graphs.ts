// Graphs whose times are of the future.

import type { Database } from './database.ts';

/** Brings the graph's times to `now` (ms), unless it was read since `readAt`. Inside a transaction. */
export interface GraphTimes {
  /** Graphs with a time after `now`, and when they were last read (ms). */
  ahead(now: number): { readonly id: number; readonly readAt: number | null }[];
  toPresent(graph: { readonly id: number; readonly readAt: number | null }, now: number): void;
}

/**
 * A time of a graph that no traffic tells of: a clock was ahead. Where there is traffic since, it is the present clock
 * that is behind, as on a machine that has not asked for the time yet, and history before it must not count. What the
 * provider says of minutes to come are zeros.
 */
const untold = (column: string): string =>
  `${column} > @now AND NOT EXISTS (
    SELECT 1 FROM bucket WHERE graph_id = graph.id AND at >= ${column} AND (bytes > 0 OR requests > 0))`;

const ROLLED_UP = `coalesce(
  (SELECT max(at + width_ms) FROM old_bucket WHERE graph_id = graph.id AND at <= @now), 0)`;

/** A graph whose history would only begin in the future. */
export const BEGINS_AHEAD = `${untold('floor')} AND floor > ${ROLLED_UP}`;

const THIS_ONE = 'id = @id AND read_at IS @readAt';

const STEPS: readonly string[] = [
  // It is read anew, as far back as it isn't rolled up; its counters go on.
  `DELETE FROM old_bucket WHERE graph_id = @id AND at > @now
     AND EXISTS (SELECT 1 FROM graph WHERE ${THIS_ONE} AND ${BEGINS_AHEAD})`,
  `DELETE FROM graph_gap WHERE graph_id = @id AND EXISTS (SELECT 1 FROM graph WHERE ${THIS_ONE} AND ${BEGINS_AHEAD})`,
  `UPDATE graph SET floor = ${ROLLED_UP}, baselined_at = NULL, watermark = NULL, deep_read_at = NULL
   WHERE ${THIS_ONE} AND ${BEGINS_AHEAD}`,
  `UPDATE graph SET baselined_at = @now WHERE ${THIS_ONE} AND ${untold('baselined_at')}`,
  // What is to come is read when it has come.
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
