// Reads the history of a graph, from polled and rolled-up buckets, in slices.

import { bucketEnd, bucketStart, DAY } from '../../../lib/time.ts';
import type { HistoryBucket } from '../../traffic-store.ts';
import type { Database } from '../file/database.ts';

const VALUES = `bytes, requests, successful, failed, smartpath_bytes AS smartpathBytes,
  smartpath_requests AS smartpathRequests, smartpath_money_saved AS smartpathMoneySaved,
  concurrency_average AS concurrencyAverage, concurrency_max AS concurrencyMax`;

export type ReadHistory = (graphId: number, from: number, to: number) => AsyncGenerator<HistoryBucket>;

export const createTrafficHistory = (db: Database): ReadHistory => {
  const zoneOf = db.sql.prepare<[number], string>('SELECT zone FROM graph WHERE id = ?').pluck();
  const first = db.sql
    .prepare<{ graph: number; from: number }, number | null>(
      `SELECT min(at) FROM (
         SELECT min(at) AS at FROM bucket WHERE graph_id = @graph AND at >= @from
         UNION ALL SELECT min(at) FROM rolled_up_bucket WHERE graph_id = @graph AND resolution = 'hourly' AND at >= @from
         UNION ALL SELECT min(at) FROM rolled_up_bucket WHERE graph_id = @graph AND resolution = 'daily' AND at >= @from)`,
    )
    .pluck();
  const slice = db.sql.prepare<{ graph: number; from: number; to: number }, HistoryBucket>(
    `SELECT at, (SELECT bucket_ms FROM graph WHERE id = @graph) AS widthMs, ${VALUES}
       FROM bucket WHERE graph_id = @graph AND at >= @from AND at < @to
     UNION ALL
     SELECT at, width_ms AS widthMs, ${VALUES} FROM rolled_up_bucket
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
