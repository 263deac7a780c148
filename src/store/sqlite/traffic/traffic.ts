// Statements of graphs and buckets.

import { growthOf } from '../../counter.ts';
import { overlaps, type TimeRange, withoutRange } from '../../gap.ts';
import {
  type Bucket,
  type Graph,
  type GraphIdentity,
  TRAFFIC_COUNTERS,
  type TrafficCounter,
  type TrafficStore,
  type WindowOfBuckets,
} from '../../traffic-store.ts';
import { createCounters } from '../counters.ts';
import type { Database } from '../file/database.ts';
import { createGraphGaps } from './graph-gaps.ts';
import { createNewestTraffic } from './newest-traffic.ts';
import { createTrafficHistory } from './traffic-history.ts';

const GRAPH = `SELECT id, name, slice, reading, bucket_ms AS bucketMs, floor, baselined_at AS baselinedAt,
  watermark, read_at AS readAt, deep_read_at AS deepReadAt FROM graph`;

const BUCKET = `SELECT at, bytes, requests, successful, failed, smartpath_bytes AS smartpathBytes,
  smartpath_requests AS smartpathRequests, smartpath_money_saved AS smartpathMoneySaved,
  concurrency_average AS concurrencyAverage, concurrency_max AS concurrencyMax FROM bucket`;

/** In the order of the table's columns. */
const VALUES = [...TRAFFIC_COUNTERS, 'concurrencyAverage', 'concurrencyMax'] as const;

type Row = Omit<Graph, 'gaps'>;
/** With what is still to be read of the time before the baseline. */
type Reading = Row & { readonly history: readonly TimeRange[] };
type Growth = Record<TrafficCounter, number>;

export const createTrafficStore = (db: Database): TrafficStore => {
  const { sql } = db;
  const counters = createCounters(db);
  const gaps = createGraphGaps(db);
  const findGraph = sql.prepare<[number, string], Row & { reading: string }>(
    `${GRAPH} WHERE account_id = ? AND name = ?`,
  );
  const graphById = sql.prepare<[number], Row>(`${GRAPH} WHERE id = ?`);
  const graphsOf = sql.prepare<[number], Row>(`${GRAPH} WHERE account_id = ? ORDER BY name`);
  const insertGraph = sql.prepare(
    `INSERT INTO graph (account_id, name, slice, reading, zone, bucket_ms, floor) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  // What was rolled up stays, and counted or not, it is not stored a second time.
  const restartGraph = sql.prepare(
    `UPDATE graph SET slice = @slice, reading = @reading, bucket_ms = @bucketMs, baselined_at = NULL,
       watermark = NULL, deep_read_at = NULL,
       floor = max(@floor, coalesce((SELECT max(at + width_ms) FROM old_bucket WHERE graph_id = @id), 0))
     WHERE id = @id`,
  );
  // Of a new epoch: what is not read for its baseline must not count later.
  const raiseFloor = sql.prepare('UPDATE graph SET floor = max(floor, ?) WHERE id = ? AND watermark IS NULL');
  const setZone = sql.prepare('UPDATE graph SET zone = ? WHERE id = ? AND zone <> ?');
  // Times move forward only, so that a clock set back makes no counter fall.
  const advanceGraph = sql.prepare(
    `UPDATE graph SET watermark = coalesce(max(coalesce(watermark, 0), @watermark), watermark),
       read_at = max(coalesce(read_at, 0), @now),
       baselined_at = coalesce(baselined_at, @baselinedAt), deep_read_at = coalesce(@deepReadAt, deep_read_at)
     WHERE id = @id`,
  );
  const noteHistory = sql.prepare<{ id: number }>(
    'UPDATE graph SET history_until = (SELECT max(to_at) FROM graph_gap WHERE graph_id = @id) WHERE id = @id',
  );
  const historyUntil = sql
    .prepare<[number], number | null>('SELECT history_until FROM graph WHERE id = ?')
    .pluck();
  const deleteBuckets = sql.prepare('DELETE FROM bucket WHERE graph_id = ?');
  const bucketBefore = sql.prepare<[number, number], Bucket>(
    `${BUCKET} WHERE graph_id = ? AND at <= ? ORDER BY at DESC LIMIT 1`,
  );
  const bucketsIn = sql.prepare<[number, number, number], Bucket>(
    `${BUCKET} WHERE graph_id = ? AND at >= ? AND at < ? ORDER BY at`,
  );
  // Bound by position: by name costs as much as the write itself.
  const putBucket = sql.prepare(
    `INSERT OR REPLACE INTO bucket VALUES (?, ?, ${VALUES.map(() => '?').join(', ')})`,
  );

  const ownerOf = (graph: number): string => `graph/${graph}`;

  const rowOf = (id: number): Row => {
    const graph = graphById.get(id);
    if (!graph) throw new Error(`no graph has the id ${id}`);
    return graph;
  };

  const withGaps = (row: Row): Graph => ({ ...row, gaps: gaps.of(row.id) });

  const openGraph = (accountId: number, identity: GraphIdentity, floor: number, now: number): number => {
    const { name, slice, reading, zone, bucketMs } = identity;
    const known = findGraph.get(accountId, name);
    if (known) setZone.run(zone, known.id, zone);
    if (known?.slice === slice && known.reading === reading) {
      raiseFloor.run(floor, known.id);
      return known.id;
    }
    if (known) {
      deleteBuckets.run(known.id);
      gaps.clear(known.id);
      restartGraph.run({ id: known.id, slice, reading, bucketMs, floor });
      return known.id;
    }
    const id = Number(
      insertGraph.run(accountId, name, slice, reading, zone, bucketMs, floor).lastInsertRowid,
    );
    counters.create(ownerOf(id), TRAFFIC_COUNTERS, now + db.firstStepHoldMs);
    return id;
  };

  /** Stores one bucket when it changed, and adds what it grew by. */
  const saveBucket = (graph: Reading, answered: Bucket, known: Map<number, Bucket>, growth: Growth): void => {
    if (answered.at < graph.floor) return;
    const before = known.get(answered.at);
    const after = overlay(before, answered);
    const periodEnd = answered.at + graph.bucketMs;
    // History that was not read for the baseline is a starting point when it is, also where an older file has it.
    const isHistory = overlaps(graph.history, answered.at, periodEnd);
    const baselinedAt = isHistory ? null : graph.baselinedAt;
    for (const name of TRAFFIC_COUNTERS) {
      growth[name] += growthOf({
        before: before?.[name] ?? null,
        after: after[name],
        periodEnd,
        baselinedAt,
      });
    }
    if (before && isSame(before, after)) return;
    putBucket.run(graph.id, after.at, ...VALUES.map((name) => after[name]));
    known.set(after.at, after);
  };

  /** Those between the first and the last of these, by their start: one statement costs less than one for each. */
  const knownAround = (graph: number, buckets: readonly Bucket[]): Map<number, Bucket> => {
    let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const { at } of buckets) [from, to] = [Math.min(from, at), Math.max(to, at)];
    if (from > to) return new Map();
    return new Map(bucketsIn.all(graph, from, to + 1).map((bucket) => [bucket.at, bucket]));
  };

  /** What is still to be read of the time before the baseline. */
  const historyOf = (id: number): TimeRange[] => {
    const until = historyUntil.get(id) ?? null;
    return until === null ? [] : withoutRange(gaps.of(id), { from: until, to: Number.POSITIVE_INFINITY });
  };

  const saveWindow = (id: number, window: WindowOfBuckets): void => {
    const graph = { ...rowOf(id), history: historyOf(id) };
    const growth = Object.fromEntries(TRAFFIC_COUNTERS.map((name) => [name, 0])) as Growth;
    const known = knownAround(id, window.buckets);
    for (const bucket of window.buckets) saveBucket(graph, bucket, known, growth);
    const { watermark = null, now, read, unread, baselinedAt = null, deepReadAt = null } = window;
    if (unread) gaps.opened(id, unread);
    if (read) gaps.closed(id, read);
    counters.grow(ownerOf(id), growth, now + db.firstStepHoldMs);
    if (graph.baselinedAt === null && baselinedAt !== null) noteHistory.run({ id });
    advanceGraph.run({ id, watermark, now, baselinedAt, deepReadAt });
  };

  return {
    openGraph: async (identity, floor, now) => {
      const accountId = db.accountId(identity.account);
      const id = db.write(() => openGraph(accountId, identity, floor, now));
      return db.read(() => withGaps(rowOf(id)));
    },
    graphs: async (account) => db.read(() => graphsOf.all(db.knownAccountId(account)).map(withGaps)),
    saveWindow: async (graph, window) => db.write(() => saveWindow(graph, window)),
    gaps: async (graph) => db.read(() => gaps.of(graph)),
    gapFailed: async (graph, range, at) => db.write(() => gaps.failed(graph, range, at)),
    dropGaps: async (graph, before) =>
      db.read(() => gaps.of(graph)).some(({ from }) => from < before)
        ? db.write(() => gaps.dropped(graph, before))
        : 0,
    counters: async (graph) => db.read(() => counters.of(ownerOf(graph), TRAFFIC_COUNTERS)),
    lastBucket: async (graph, until) => db.read(() => bucketBefore.get(graph, until - rowOf(graph).bucketMs)),
    buckets: async (graph, from, to) => db.read(() => bucketsIn.all(graph, from, to)),
    ...createNewestTraffic(db),
    history: createTrafficHistory(db),
  };
};

/** The bucket with what was answered laid over what was known: a value not given keeps the known one. */
const overlay = (before: Bucket | undefined, answered: Bucket): Bucket => {
  if (!before) return answered;
  const after: Record<(typeof VALUES)[number] | 'at', number | null> = { ...answered };
  for (const name of VALUES) after[name] ??= before[name];
  return { ...after, at: answered.at };
};

const isSame = (before: Bucket, after: Bucket): boolean =>
  VALUES.every((name) => before[name] === after[name]);
