// Queries the newest traffic of a graph.

import type { TrafficPauses, TrafficStore, TrafficSums } from '../../traffic-store.ts';
import type { Database } from '../file/database.ts';

type NewestTraffic = Pick<TrafficStore, 'newestBucket' | 'newestBucketWithTraffic' | 'sums' | 'pauses'>;

interface Range {
  readonly graph: number;
  readonly from: number;
  readonly until: number;
}
/** A bucket whose requests are unknown has traffic if it has bytes. */
const HAS_TRAFFIC = 'coalesce(requests, bytes) > 0';
const IN_RANGE = `WHERE graph_id = @graph AND at >= @from
  AND at <= @until - (SELECT bucket_ms FROM graph WHERE id = @graph)`;

/** The sum is unknown if a bucket with traffic lacks the value. */
const sumOf = (column: string): string =>
  `iif(total(${column} IS NULL AND ${HAS_TRAFFIC}) > 0, NULL, coalesce(sum(${column}), 0))`;

export const createNewestTraffic = ({ sql, read }: Database): NewestTraffic => {
  const newestBucket = sql
    .prepare<[number], number | null>('SELECT max(at) FROM bucket WHERE graph_id = ?')
    .pluck();
  const lastBusy = sql
    .prepare<Range, number>(`SELECT at FROM bucket ${IN_RANGE} AND ${HAS_TRAFFIC} ORDER BY at DESC LIMIT 1`)
    .pluck();
  const sums = sql.prepare<Range, TrafficSums>(
    `SELECT ${sumOf('requests')} AS requests, ${sumOf('failed')} AS failed FROM bucket ${IN_RANGE}`,
  );
  const pauses = sql.prepare<[number, number], TrafficPauses>(
    `SELECT coalesce(min(at), 0) AS firstAt, coalesce(max(at - previous), 0) AS longestPauseMs FROM (
       SELECT at, lag(at) OVER (ORDER BY at) AS previous FROM bucket
       WHERE graph_id = ? AND at <= ? AND ${HAS_TRAFFIC})`,
  );
  const NONE = { requests: 0, failed: 0 };
  return {
    newestBucket: async (graph) => read(() => newestBucket.get(graph)) ?? undefined,
    newestBucketWithTraffic: async (graph, from, until) => read(() => lastBusy.get({ graph, from, until })),
    sums: async (graph, from, until) => read(() => sums.get({ graph, from, until })) ?? NONE,
    pauses: async (graph, until) => read(() => pauses.get(graph, until)) ?? { firstAt: 0, longestPauseMs: 0 },
  };
};
