// Corrects stored times that lie in the future, because the clock was far ahead and has been set right since.

import { MINUTE } from '../../../lib/time.ts';
import { LISTING_TIMES } from '../accounts/listings.ts';
import type { Database } from '../file/database.ts';
import { ofTables } from '../tables.ts';
import { createFutureHolds, createTableWalk, type WalkSlice } from './future-holds.ts';

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
const HAS_FUTURE_FLOOR = `${withoutTrafficSince('floor')} AND floor > ${ROLLED_UP_UNTIL}`;

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

/** A graph with a time in the future, and when it was last read (ms). It is skipped if it is read meanwhile. */
interface GraphRow {
  readonly id: number;
  readonly readAt: number | null;
}

const FUTURE_GRAPHS = `SELECT id, read_at AS readAt FROM graph WHERE max(floor, coalesce(baselined_at, 0),
  coalesce(watermark, 0), coalesce(read_at, 0), coalesce(deep_read_at, 0)) > @now`;

/** A clock may be set back a little. Stored times, which only move forward, then wait until it catches up. */
const TOLERANCE_MS = MINUTE;

/** Finds the newest of the times that are written whenever something of the account is read or requested. */
const NEWEST_TIME = `WITH current AS (SELECT id FROM account WHERE name = @account)
  SELECT max(at) FROM (
  SELECT max(finished_at) AS at FROM run WHERE account_id IN current
  UNION ALL SELECT max(stored_at) FROM listing WHERE account_id IN current
  UNION ALL SELECT max(counted_at) FROM listing WHERE account_id IN current
  UNION ALL SELECT max(read_at) FROM graph WHERE account_id IN current
  UNION ALL SELECT max(floor) FROM graph WHERE account_id IN current AND ${HAS_FUTURE_FLOOR})`;

interface ListingRow {
  readonly accountId: number;
  readonly collector: string;
  readonly storedAt: number | null;
}

const FUTURE_LISTINGS = `SELECT account_id AS accountId, collector, stored_at AS storedAt FROM listing
  WHERE ${isInFuture(...LISTING_TIMES)}`;

/** Skips a listing if a run stored something since, because its holds are not corrected yet. The next call corrects it. */
const CORRECT_LISTING = `UPDATE listing SET ${limitToNow(...LISTING_TIMES)}
  WHERE account_id = @accountId AND collector = @collector AND stored_at IS @storedAt`;

/**
 * Returns a function that looks for times after `now` (ms) in what the account's runs stored. If there are any, it sets
 * such times of all accounts to `now`, and returns true. Each run of each account calls it, so a search through all
 * accounts would cost as much as their number squared. The correction works in slices, and the event loop is free between them. Calls made meanwhile wait for the same pass. A mark in the
 * store makes the next call continue if the process is killed.
 */
export const createFutureTimeCorrection = (
  db: Database,
): ((now: number, account: string) => Promise<boolean>) => {
  const { sql, firstStepHoldMs, prepareValue } = db;
  const newest = prepareValue<{ now: number; account: string }, number | null>(NEWEST_TIME);
  const unfinished = prepareValue<[], number>('SELECT began_at FROM clock_step');

  /** Yields the slices, each for one transaction. Holds are corrected before and after the times they are compared with. */
  const slices = function* (now: number): Generator<() => void> {
    const values = { now, longest: now + firstStepHoldMs, latest: now + TOLERANCE_MS };
    const holds = createFutureHolds(db);
    const timeWalks = ofTables(
      ({ times }, table) =>
        times && createTableWalk(db, table, { set: limitToNow(...times), where: isInFuture(...times) }),
    );
    const graphs = db.read(() => sql.all<GraphRow>(FUTURE_GRAPHS, { now }));
    const listings = db.read(() => sql.all<ListingRow>(FUTURE_LISTINGS, { now }));
    const run = (statements: readonly string[], row: object) => (): void => {
      for (const statement of statements) sql.run(statement, { ...row, now });
    };
    yield () => sql.run('INSERT OR REPLACE INTO clock_step VALUES (1, ?)', now);
    yield* slicesOf(holds.release, values);
    for (const graph of graphs) yield run(STEPS, graph);
    for (const listing of listings) yield run([CORRECT_LISTING], listing);
    yield* slicesOf(holds.settle, values);
    yield run(ofTables(({ corrections }) => corrections).flat(), {});
    yield* slicesOf(timeWalks, values);
    yield () => sql.run('DELETE FROM clock_step');
  };

  const hasFutureTimes = (now: number, account: string): boolean =>
    db.read(
      () => unfinished.get() !== undefined || (newest.get({ now, account }) ?? now) > now + TOLERANCE_MS,
    );

  const correctTimes = async (now: number): Promise<void> => {
    for (const slice of slices(now)) {
      db.write(slice);
      await new Promise(setImmediate);
    }
  };

  let running: Promise<void> | undefined;
  return async (now, account) => {
    if (running) {
      await running;
      return false;
    }
    if (!hasFutureTimes(now, account)) return false;
    running = correctTimes(now).finally(() => {
      running = undefined;
    });
    await running;
    return true;
  };
};

function limitToNow(...columns: readonly string[]): string {
  return columns.map((column) => `${column} = min(${column}, @now)`).join(', ');
}

function isInFuture(...columns: readonly string[]): string {
  return columns.map((column) => `${column} > @now`).join(' OR ');
}

/** Yields the slices of walks, one walk after another. */
function* slicesOf(
  walks: readonly WalkSlice[],
  values: Readonly<Record<string, number>>,
): Generator<() => void> {
  for (const walk of walks) {
    let after: ReturnType<WalkSlice>;
    do {
      yield () => {
        after = walk(after, values);
      };
    } while (after);
  }
}
