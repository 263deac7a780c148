// Corrects stored times that lie in the future, because the clock was far ahead and has been set right since.

import { MINUTE } from '../../../lib/time.ts';
import { LISTING_TIMES } from '../accounts/tables.ts';
import type { Database } from '../file/database.ts';
import { ofTables } from '../tables.ts';
import { createFutureGraphTimes, HAS_FUTURE_FLOOR } from './future-graph-times.ts';
import { createFutureHolds } from './future-holds.ts';
import { createTableWalk, type WalkSlice } from './table-walk.ts';

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

/**
 * Skips a listing if a run stored something since, because its holds are not corrected yet. The next call corrects it.
 */
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
  const { sql, firstStepHoldMs } = db;
  const newest = sql.prepare<{ now: number; account: string }, number | null>(NEWEST_TIME).pluck();
  const unfinished = sql.prepare<[], number>('SELECT began_at FROM clock_step').pluck();
  const begin = sql.prepare<[number]>('INSERT OR REPLACE INTO clock_step VALUES (1, ?)');
  const end = sql.prepare('DELETE FROM clock_step');
  const graphs = createFutureGraphTimes(db);
  const holds = createFutureHolds(db);
  const futureListings = sql.prepare<{ now: number }, ListingRow>(FUTURE_LISTINGS);
  const correctListing = sql.prepare<ListingRow & { now: number }>(CORRECT_LISTING);
  const corrections = ofTables(({ corrections }) => corrections?.map((statement) => sql.prepare(statement)));
  const timeWalks = ofTables(
    ({ times }, table) =>
      times && createTableWalk(db, table, { set: limitToNow(...times), where: isInFuture(...times) }),
  );

  /**
   * Yields the slices, each for one transaction. Holds are corrected before and after the times they are compared with.
   */
  const slices = function* (now: number): Generator<() => void> {
    const values = { now, longest: now + firstStepHoldMs, latest: now + TOLERANCE_MS };
    const future = db.read(() => ({ graphs: graphs.inFuture(now), listings: futureListings.all({ now }) }));
    yield () => begin.run(now);
    yield* slicesOf(holds.release, values);
    for (const graph of future.graphs) yield () => graphs.correct(graph, now);
    for (const listing of future.listings) yield () => correctListing.run({ ...listing, now });
    yield* slicesOf(holds.settle, values);
    yield () => {
      for (const statement of corrections.flat()) statement.run({ now });
    };
    yield* slicesOf(timeWalks, values);
    yield () => end.run();
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
