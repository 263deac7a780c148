// Reads the newest traffic of a graph, and its history in slices.

import { bucketEnd, bucketStart, DAY } from '../../../lib/time.ts';
import type { Bucket, HistoryBucket, TrafficPauses, TrafficStore, TrafficSums } from '../../traffic-store.ts';
import type { Database } from '../file/database.ts';
import { describeRow, plain } from '../row.ts';

export const { selected: BUCKET_VALUES } = describeRow<Omit<Bucket, 'at'>>({
  ...plain('bytes requests successful failed smartpathBytes smartpathRequests smartpathMoneySaved'),
  ...plain('concurrencyAverage concurrencyMax'),
});

type ReadHistory = (graphId: number, from: number, to: number) => AsyncGenerator<HistoryBucket>;

export const createTrafficHistory = (db: Database): ReadHistory => {
  const zoneOf = db.prepareValue<[number], string>('SELECT zone FROM graph WHERE id = ?');
  const first = db.prepareValue<{ graph: number; from: number }, number | null>(
    `SELECT min(at) FROM (
       SELECT min(at) AS at FROM bucket WHERE graph_id = @graph AND at >= @from
       UNION ALL SELECT min(at) FROM rolled_up_bucket WHERE graph_id = @graph AND resolution = 'hourly' AND at >= @from
       UNION ALL SELECT min(at) FROM rolled_up_bucket WHERE graph_id = @graph AND resolution = 'daily' AND at >= @from)`,
  );
  const slice = db.sql.prepare<{ graph: number; from: number; to: number }, HistoryBucket>(
    `SELECT at, (SELECT bucket_ms FROM graph WHERE id = @graph) AS widthMs, ${BUCKET_VALUES}
       FROM bucket WHERE graph_id = @graph AND at >= @from AND at < @to
     UNION ALL
     SELECT at, width_ms AS widthMs, ${BUCKET_VALUES} FROM rolled_up_bucket
       WHERE graph_id = @graph AND resolution IN ('hourly', 'daily') AND at >= @from AND at < @to
     ORDER BY at`,
  );

  /**
   * Returns the buckets of the first day that has any, and where the next slice begins. A slice ends with a day. A
   * rollup between two slices therefore affects only whole days, either before or after the reader's position.
   */
  const sliceFrom = (graph: number, from: number, to: number) => {
    const at = first.get({ graph, from });
    if (at == null || at >= to) return { buckets: [], next: to };
    const zone = zoneOf.get(graph) ?? 'UTC';
    const next = Math.min(to, bucketEnd(zone, bucketStart(zone, at, DAY), DAY));
    return { buckets: slice.all({ graph, from: at, to: next }), next };
  };

  return async function* history(graph, from, to) {
    for (let start = from; start < to; ) {
      const { buckets, next } = db.read(() => sliceFrom(graph, start, to));
      yield* buckets;
      start = next;
      await new Promise(setImmediate);
    }
  };
};

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

export const createNewestTraffic = ({ sql, read, prepareValue }: Database): NewestTraffic => {
  const newestBucket = prepareValue<[number], number | null>('SELECT max(at) FROM bucket WHERE graph_id = ?');
  const lastBusy = prepareValue<Range, number>(
    `SELECT at FROM bucket ${IN_RANGE} AND ${HAS_TRAFFIC} ORDER BY at DESC LIMIT 1`,
  );
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
