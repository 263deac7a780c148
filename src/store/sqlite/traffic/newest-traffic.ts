// Statements that look at the newest traffic of a graph.

import type { Pauses, TrafficStore, TrafficSums } from '../../traffic-store.ts';
import type { Database } from '../file/database.ts';

type NewestTraffic = Pick<TrafficStore, 'newestBucket' | 'lastBusy' | 'sums' | 'pauses'>;

interface Range {
  readonly graph: number;
  readonly from: number;
  readonly until: number;
}
/** A bucket without a number of requests has traffic if it has bytes. */
const IS_BUSY = 'coalesce(requests, bytes) > 0';
const IN_RANGE = `WHERE graph_id = @graph AND at >= @from
  AND at <= @until - (SELECT bucket_ms FROM graph WHERE id = @graph)`;

/** A bucket that has traffic but not this value makes the sum unknown. */
const sumOf = (column: string): string =>
  `iif(total(${column} IS NULL AND ${IS_BUSY}) > 0, NULL, coalesce(sum(${column}), 0))`;

export const createNewestTraffic = ({ sql, read }: Database): NewestTraffic => {
  const newestBucket = sql
    .prepare<[number], number | null>('SELECT max(at) FROM bucket WHERE graph_id = ?')
    .pluck();
  const lastBusy = sql
    .prepare<Range, number>(`SELECT at FROM bucket ${IN_RANGE} AND ${IS_BUSY} ORDER BY at DESC LIMIT 1`)
    .pluck();
  const sums = sql.prepare<Range, TrafficSums>(
    `SELECT ${sumOf('requests')} AS requests, ${sumOf('failed')} AS failed FROM bucket ${IN_RANGE}`,
  );
  const pauses = sql.prepare<[number, number], Pauses>(
    `SELECT coalesce(min(at), 0) AS firstAt, coalesce(max(at - previous), 0) AS longestPauseMs FROM (
       SELECT at, lag(at) OVER (ORDER BY at) AS previous FROM bucket
       WHERE graph_id = ? AND at <= ? AND ${IS_BUSY})`,
  );
  const NONE = { requests: 0, failed: 0 };
  return {
    newestBucket: async (graph) => read(() => newestBucket.get(graph)) ?? undefined,
    lastBusy: async (graph, from, until) => read(() => lastBusy.get({ graph, from, until })),
    sums: async (graph, from, until) => read(() => sums.get({ graph, from, until })) ?? NONE,
    pauses: async (graph, until) => read(() => pauses.get(graph, until)) ?? { firstAt: 0, longestPauseMs: 0 },
  };
};
