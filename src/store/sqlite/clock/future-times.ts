// Corrects stored times that lie in the future, because the clock was far ahead and has been set right since.

import { DAY, MINUTE } from '../../../lib/time.ts';
import type { Database } from '../file/database.ts';
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

/** By table, columns with times that no hold is compared with. */
const TIME_COLUMNS: readonly (readonly [table: string, ...columns: string[]])[] = [
  ['ledger_rates', 'since', 'at'],
  [
    'proxy_user',
    ...['residential_rated_since', 'residential_rated_at', 'mobile_rated_since', 'mobile_rated_at'],
    'removed_since',
  ],
  [
    'user_use_mark',
    ...[
      'residential_missing_since',
      'residential_missing_until',
      'mobile_missing_since',
      'mobile_missing_until',
    ],
  ],
  ['user_use_day', 'since', 'until'],
  ['url_tester', 'at'],
  ['probe_control', 'at'],
  ['probe_phase', 'at'],
  ['probe_failure', 'at'],
  ['probe_exit', 'since', 'at'],
  ['tested_proxy', 'last_tested_at'],
  ['service', 'asked_at', 'answered_at'],
  ['quote', 'answered_at'],
  ['source_proxy', 'since'],
  ['fault', 'since'],
  ['alert', 'since', 'firing_since', 'absent_since', 'ended_at'],
  ['notification', 'created_at'],
  ['told_alert', 'firing_since', 'ended_at', 'notified_at'],
  ['notification_group', 'notified_at'],
  ['alert_history', 'since', 'firing_since', 'ended_at'],
  ['alert_history_notice', 'firing_at', 'resolved_at'],
  ['endpoint', 'last_success_at', 'rejected_since', 'refused_since'],
  ['account', 'unreached_since', 'unreached_at'],
  ['publication', 'until', 'closed_until'],
  ['remote_write_position', 'at', 'start'],
  ['remote_write_receiver', 'start', 'refusing_since'],
  ['backup_schedule', 'since'],
  ['remote_write_batch', 'at'],
  ['run', 'started_at', 'finished_at', 'last_success_at', 'watched_since'],
];

/** For tables with few rows. Test runs and bytes that were spent still count against their budgets. */
const SMALL_TABLE_STATEMENTS = [
  `INSERT INTO test_spend SELECT account_id, @now, sum(runs) FROM test_spend WHERE at > @now GROUP BY account_id
   ON CONFLICT DO UPDATE SET runs = runs + excluded.runs`,
  'DELETE FROM test_spend WHERE at > @now',
  `INSERT INTO probe_spend SELECT account_id, @now, sum(bytes) FROM probe_spend WHERE at > @now GROUP BY account_id
   ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes`,
  'DELETE FROM probe_spend WHERE at > @now',
  // A price is kept as the price of today.
  `INSERT INTO test_price SELECT account_id, @now - @now % ${DAY}, min(price_key), max(runs) FROM test_price
   WHERE at > @now GROUP BY account_id ON CONFLICT DO UPDATE SET runs = max(runs, excluded.runs)`,
  'DELETE FROM test_price WHERE at > @now',
  // Rows that have the same time now are of the same group and receiver, and say the same.
  'UPDATE OR REPLACE lost_notification SET created_at = @now WHERE created_at > @now',
  ...['missing_period', 'account_missing_period'].flatMap((table) => [
    `DELETE FROM ${table} WHERE began_at > @now`,
    `UPDATE ${table} SET ended_at = @now WHERE ended_at > @now`,
  ]),
];

/** No pause is longer than a day, so a later end comes from a clock that was ahead. */
const PAUSE_STATEMENT = `UPDATE endpoint SET paused_until = @now WHERE paused_until > @now + ${DAY}`;

interface ListingRow {
  readonly accountId: number;
  readonly collector: string;
  readonly storedAt: number | null;
}

const LISTING_TIMES = [
  ...['began_at', 'baselined_at', 'counted_started_at', 'counted_at'],
  ...['complete_started_at', 'complete_at', 'stored_at'],
  ...['use_stored_until', 'use_storing_hour'],
];

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
  const smallTableStatements = [...SMALL_TABLE_STATEMENTS, PAUSE_STATEMENT].map((statement) =>
    sql.prepare(statement),
  );
  const timeWalks = TIME_COLUMNS.map(([table, ...columns]) =>
    createTableWalk(db, table, {
      set: limitToNow(...columns),
      where: isInFuture(...columns),
    }),
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
      for (const statement of smallTableStatements) statement.run({ now });
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
