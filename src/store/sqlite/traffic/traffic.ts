// Stores graphs, their buckets and their counters.

import type { Range } from '../../../lib/time.ts';
import { growthOf } from '../../counter.ts';
import { overlaps, withoutRange } from '../../gap.ts';
import type { RowValues } from '../../publication-store.ts';
import {
  type Bucket,
  type BucketWindow,
  type Graph,
  type GraphIdentity,
  publishedSubject,
  TRAFFIC_COUNTERS,
  type TrafficCounter,
  type TrafficStore,
} from '../../traffic-store.ts';
import { createCounters } from '../counters.ts';
import type { Database } from '../file/database.ts';
import { createLateChanges } from '../late-changes.ts';
import { type CorrectableStream, createCorrections, differencesOf } from '../publication/publication.ts';
import { describeRow, plain } from '../row.ts';
import { createGraphGaps } from './graph-gaps.ts';
import { BUCKET_VALUES, createNewestTraffic, createTrafficHistory } from './history.ts';

/** The values of a bucket in the order of the table's columns. */
const VALUES = [...TRAFFIC_COUNTERS, 'concurrencyAverage', 'concurrencyMax'] as const;

const GRAPH_ROW = describeRow<GraphRow & { readonly requestFormat: string }>(
  plain('id accountId name slice requestFormat bucketMs floor baselinedAt watermark readAt deepReadAt'),
);
const GRAPH = `SELECT ${GRAPH_ROW.selected} FROM graph`;
const BUCKET = `SELECT at, ${BUCKET_VALUES} FROM bucket`;

type GraphRow = Omit<Graph, 'gaps'> & { readonly accountId: number };
/** A graph with the ranges before the baseline that are still to be read, and what of it is published. */
type GraphWithHistory = GraphRow & {
  readonly history: readonly Range[];
  readonly published: CorrectableStream | undefined;
  readonly late: ReturnType<ReturnType<typeof createLateChanges>['ofWindow']>;
};
type Growth = Record<TrafficCounter, number>;

export const createTrafficStore = (db: Database): TrafficStore => {
  const { sql, prepareValue } = db;
  const counters = createCounters(db);
  const gaps = createGraphGaps(db);
  const corrections = createCorrections(db);
  const lateChanges = createLateChanges(db);
  const findGraph = sql.prepare<[number, string], GraphRow & { requestFormat: string }>(
    `${GRAPH} WHERE account_id = ? AND name = ?`,
  );
  const graphById = sql.prepare<[number], GraphRow>(`${GRAPH} WHERE id = ?`);
  const insertGraph = sql.prepare(
    `INSERT INTO graph (account_id, name, slice, request_format, zone, bucket_ms, floor) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  // Rolled-up buckets stay, so the floor rises to their end: whether they counted or not, they are not stored again.
  const restartGraph = sql.prepare(
    `UPDATE graph SET slice = @slice, request_format = @requestFormat, bucket_ms = @bucketMs, baselined_at = NULL,
       watermark = NULL, deep_read_at = NULL,
       floor = max(@floor, coalesce((SELECT max(at + width_ms) FROM rolled_up_bucket WHERE graph_id = @id), 0))
     WHERE id = @id`,
  );
  // Times only move forward, so that no counter falls when the clock is set back.
  const advanceGraph = sql.prepare(
    `UPDATE graph SET watermark = coalesce(max(coalesce(watermark, 0), @watermark), watermark),
       read_at = max(coalesce(read_at, 0), @now),
       baselined_at = coalesce(baselined_at, @baselinedAt), deep_read_at = coalesce(@deepReadAt, deep_read_at)
     WHERE id = @id`,
  );
  const historyUntil = prepareValue<[number], number | null>('SELECT history_until FROM graph WHERE id = ?');
  const bucketBefore = sql.prepare<[number, number], Bucket>(
    `${BUCKET} WHERE graph_id = ? AND at <= ? ORDER BY at DESC LIMIT 1`,
  );
  const bucketsIn = sql.prepare<[number, number, number], Bucket>(
    `${BUCKET} WHERE graph_id = ? AND at >= ? AND at < ? ORDER BY at`,
  );
  // Values are bound by position, because binding by name costs as much as the write itself.
  const putBucket = sql.prepare(
    `INSERT OR REPLACE INTO bucket VALUES (?, ?, ${VALUES.map(() => '?').join(', ')})`,
  );

  const ownerOf = (graph: number): string => `graph/${graph}`;

  const rowOf = (id: number): GraphRow => {
    const graph = graphById.get(id);
    if (!graph) throw new Error(`no graph has the id ${id}`);
    return graph;
  };

  const withGaps = ({ accountId: _, ...row }: GraphRow): Graph => ({ ...row, gaps: gaps.of(row.id) });

  const openGraph = (accountId: number, identity: GraphIdentity, floor: number, now: number): number => {
    const { name, slice, requestFormat, zone, bucketMs } = identity;
    const known = findGraph.get(accountId, name);
    if (known) sql.run('UPDATE graph SET zone = ? WHERE id = ? AND zone <> ?', zone, known.id, zone);
    if (known?.slice === slice && known.requestFormat === requestFormat) {
      // In a new epoch, time that is not read for its baseline must not count later.
      sql.run('UPDATE graph SET floor = max(floor, ?) WHERE id = ? AND watermark IS NULL', floor, known.id);
      return known.id;
    }
    corrections.close(accountId, 'traffic', publishedSubject(identity));
    if (known) {
      for (const table of ['bucket', 'late_change'])
        sql.run(`DELETE FROM ${table} WHERE graph_id = ?`, known.id);
      gaps.clear(known.id);
      restartGraph.run({ id: known.id, slice, requestFormat, bucketMs, floor });
      return known.id;
    }
    const id = Number(
      insertGraph.run(accountId, name, slice, requestFormat, zone, bucketMs, floor).lastInsertRowid,
    );
    counters.create(ownerOf(id), TRAFFIC_COUNTERS, now + db.firstStepHoldMs);
    return id;
  };

  /** Stores a bucket if it changed, and adds its growth to `growth`. */
  const saveBucket = (
    graph: GraphWithHistory,
    answered: Bucket,
    known: Map<number, Bucket>,
    growth: Growth,
  ): void => {
    if (answered.at < graph.floor) return;
    const before = known.get(answered.at);
    const after = mergeBucket(before, answered);
    const periodEnd = answered.at + graph.bucketMs;
    // History that was not read for the baseline is a starting point when it is read later. That also holds for
    // buckets that an older store file already has.
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
    if (graph.published)
      corrections.note(graph.published, after.at, differencesOf(countersOf(before), countersOf(after)));
    graph.late.note(before, after);
    putBucket.run(graph.id, after.at, ...VALUES.map((name) => after[name]));
    known.set(after.at, after);
  };

  /** Returns the stored buckets from the first to the last of these, by start. One query for all costs less. */
  const storedWithin = (graph: number, buckets: readonly Bucket[]): Map<number, Bucket> => {
    let from = Number.POSITIVE_INFINITY;
    let to = Number.NEGATIVE_INFINITY;
    for (const { at } of buckets) {
      from = Math.min(from, at);
      to = Math.max(to, at);
    }
    if (from > to) return new Map();
    return new Map(bucketsIn.all(graph, from, to + 1).map((bucket) => [bucket.at, bucket]));
  };

  /** Returns the ranges before the baseline that are still to be read. */
  const unreadHistory = (id: number): Range[] => {
    const until = historyUntil.get(id) ?? null;
    return until === null ? [] : withoutRange(gaps.of(id), { from: until, to: Number.POSITIVE_INFINITY });
  };

  const saveWindow = (id: number, window: BucketWindow): void => {
    const row = rowOf(id);
    const published = corrections.streamOf(row.accountId, 'traffic', publishedSubject(row));
    const late = lateChanges.ofWindow(row, window, gaps.of(id));
    const graph = { ...row, history: unreadHistory(id), published, late };
    const growth = Object.fromEntries(TRAFFIC_COUNTERS.map((name) => [name, 0])) as Growth;
    const known = storedWithin(id, window.buckets);
    for (const bucket of window.buckets) saveBucket(graph, bucket, known, growth);
    late.store(known.values());
    const { watermark = null, now, readRange, skippedRange, baselinedAt = null, deepReadAt = null } = window;
    if (skippedRange) gaps.open(id, skippedRange);
    if (readRange) gaps.close(id, readRange);
    counters.grow(ownerOf(id), growth, now + db.firstStepHoldMs);
    if (graph.baselinedAt === null && baselinedAt !== null)
      sql.run(
        'UPDATE graph SET history_until = (SELECT max(to_at) FROM graph_gap WHERE graph_id = id) WHERE id = ?',
        id,
      );
    advanceGraph.run({ id, watermark, now, baselinedAt, deepReadAt });
  };

  return {
    openGraph: async (identity, floor, now) => {
      const accountId = db.accountId(identity.account);
      const id = db.write(() => openGraph(accountId, identity, floor, now));
      return db.read(() => withGaps(rowOf(id)));
    },
    graphs: db.rowsOf(`${GRAPH} WHERE account_id = ? ORDER BY name`, withGaps),
    saveWindow: async (graph, window) => db.write(() => saveWindow(graph, window)),
    gaps: db.reading((graph) => gaps.of(graph)),
    recordGapFailure: async (graph, range, at) => db.write(() => gaps.recordFailure(graph, range, at)),
    dropGaps: async (graph, before) =>
      db.read(() => gaps.of(graph)).some(({ from }) => from < before)
        ? db.write(() => gaps.drop(graph, before))
        : 0,
    counters: db.reading((graph) => counters.of(ownerOf(graph), TRAFFIC_COUNTERS)),
    lastBucket: db.reading((graph, until) => bucketBefore.get(graph, until - rowOf(graph).bucketMs)),
    buckets: db.reading((graph, from, to) => bucketsIn.all(graph, from, to)),
    ...createNewestTraffic(db),
    history: createTrafficHistory(db),
  };
};

/** Merges an answered bucket with the stored one. Values that are not given keep their stored value. */
const mergeBucket = (before: Bucket | undefined, answered: Bucket): Bucket => {
  if (!before) return answered;
  const after: Record<(typeof VALUES)[number] | 'at', number | null> = { ...answered };
  for (const name of VALUES) after[name] ??= before[name];
  return { ...after, at: answered.at };
};

const countersOf = (bucket: Bucket | undefined): RowValues =>
  TRAFFIC_COUNTERS.map((name) => bucket?.[name] ?? null);

const isSame = (before: Bucket, after: Bucket): boolean =>
  VALUES.every((name) => before[name] === after[name]);
