// Describes the tables of accounts and of the store as a whole, and stores how far a collector's listing of an account has come.

import { DAY } from '../../../lib/time.ts';
import type { Listing } from '../../listing.ts';
import type { Database } from '../file/database.ts';
import { describeRow, plain } from '../row.ts';
import { BY_NAME, ofAccount, type Tables } from '../table.ts';

// What applies to all accounts of the old store, such as its missing periods, goes on for the moved account alone.
const MISSING_PERIODS = `(SELECT * FROM source.account_missing_period
  UNION ALL SELECT id, began_at, ended_at FROM source.missing_period, source.account)`;

const missingPeriods = (table: string): readonly string[] => [
  `DELETE FROM ${table} WHERE began_at > @now`,
  `UPDATE ${table} SET ended_at = @now WHERE ended_at > @now`,
];

/** The times of a listing, with which the holds of its counters are compared. */
export const LISTING_TIMES = [
  ...['began_at', 'baselined_at', 'counted_started_at', 'counted_at'],
  ...['complete_started_at', 'complete_at', 'stored_at'],
  ...['use_stored_until', 'use_storing_hour'],
];

export const ACCOUNT_TABLES = {
  account: {
    times: ['unreached_since', 'unreached_at'],
    move: {
      where: 'id IN (SELECT old FROM temp.moved_account)',
      columns: { id: '(SELECT new FROM temp.moved_account WHERE old = id)' },
    },
  },
  account_move: { move: { where: BY_NAME } },
  account_missing_period: {
    corrections: missingPeriods('account_missing_period'),
    move: {
      ...ofAccount(),
      from: MISSING_PERIODS,
      onConflict: 'DO UPDATE SET ended_at = max(ended_at, excluded.ended_at)',
    },
  },
  listing: {
    reset: `UPDATE listing SET baselined_at = NULL, began_at = NULL, use_stored_until = NULL,
      use_storing_hour = NULL`,
    move: ofAccount(),
  },
  run: { times: ['started_at', 'finished_at', 'last_success_at', 'watched_since'], move: ofAccount() },
  endpoint: {
    times: ['last_success_at', 'rejected_since', 'refused_since'],
    // No pause is longer than a day, so a later end comes from a clock that was ahead.
    corrections: [`UPDATE endpoint SET paused_until = @now WHERE paused_until > @now + ${DAY}`],
    move: ofAccount(),
  },
  missing_period: {
    corrections: missingPeriods('missing_period'),
    move: 'about all accounts of the store; becomes a period of the moved account',
  },
  backup_schedule: { times: ['since'], move: 'about the store' },
  daemon_start: { times: ['at'], move: 'about the daemon of the store' },
  clock_step: { move: 'about the clock of the machine' },
  epoch: { move: 'about the store' },
  write_check: { move: 'about the store' },
} as const satisfies Tables;

const EMPTY_LISTING: Listing = {
  ...{ beganAt: null, baselinedAt: null, completeStartedAt: null, completeAt: null },
  ...{ countedStartedAt: null, countedAt: null, undecodedRows: 0, storedAt: null },
};
const LISTING = describeRow<Listing>(
  plain('beganAt baselinedAt completeStartedAt completeAt countedStartedAt countedAt undecodedRows storedAt'),
);

export const createListings = ({ sql, firstStepHoldMs, prepareValue }: Database, collector: string) => {
  const read = sql.prepare<[number, string], Listing>(
    `SELECT ${LISTING.selected} FROM listing WHERE account_id = ? AND collector = ?`,
  );
  // Times only move forward, so that no counter falls when the clock is set back.
  const upsertPage = sql.prepare(
    `INSERT INTO listing (account_id, collector, stored_at, began_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET stored_at = max(coalesce(stored_at, 0), excluded.stored_at),
       began_at = coalesce(began_at, excluded.began_at)`,
  );
  const updateCounted = sql.prepare(
    `UPDATE listing SET counted_started_at = @startedAt, counted_at = @now, undecoded_rows = @undecodedRows
     WHERE account_id = @accountId AND collector = @collector`,
  );
  const updateCompleting = prepareValue<[number, number, string], number>(
    `UPDATE listing SET completing_started_at = coalesce(completing_started_at, ?)
     WHERE account_id = ? AND collector = ? RETURNING completing_started_at`,
  );
  const completing = prepareValue<[number, string], number | null>(
    'SELECT completing_started_at FROM listing WHERE account_id = ? AND collector = ?',
  );
  const updateComplete = sql.prepare(
    `UPDATE listing SET baselined_at = coalesce(baselined_at, @startedAt),
            complete_started_at = @startedAt, complete_at = @now, completing_started_at = NULL
     WHERE account_id = @accountId AND collector = @collector`,
  );
  const of = (accountId: number): Listing => read.get(accountId, collector) ?? EMPTY_LISTING;
  const recordPage = (accountId: number, startedAt: number): void => {
    upsertPage.run(accountId, collector, startedAt, startedAt);
  };
  const markCounted = (accountId: number, startedAt: number, now: number, undecodedRows = 0): void => {
    recordPage(accountId, startedAt);
    updateCounted.run({ accountId, collector, startedAt, now, undecodedRows });
  };
  return {
    of,
    // If the clock was set back, a new counter must stay held until after the newest run that is already stored.
    /** Returns until when (ms) a counter that is created at `now` shows 0. */
    heldUntil: (accountId: number, now: number): number =>
      Math.max(now, of(accountId).storedAt ?? now) + firstStepHoldMs,
    /** Records that a run begun at `startedAt` (ms) stored a page. Inside a transaction. */
    recordPage,
    /**
     * Records that the missing items of a listing begun at `startedAt` (ms) are being counted. Returns the start of the
     * listing to count them for, which is an earlier one if its counting was interrupted. Inside a transaction.
     */
    beginCompletion: (accountId: number, startedAt: number): number =>
      updateCompleting.get(startedAt, accountId, collector) ?? startedAt,
    /** Returns the start (ms) of the listing whose missing items are being counted; null if there is none. */
    completingStartedAt: (accountId: number): number | null => completing.get(accountId, collector) ?? null,
    /** Records that a listing begun at `startedAt` (ms) saw all items but those that moved meanwhile. Inside a transaction. */
    markCounted,
    /** Records that a listing begun at `startedAt` (ms) is complete; the first one is the baseline. Inside a transaction. */
    markComplete: (accountId: number, startedAt: number, now: number, undecodedRows = 0): void => {
      markCounted(accountId, startedAt, now, undecodedRows);
      updateComplete.run({ accountId, collector, startedAt, now });
    },
  };
};

export type Listings = ReturnType<typeof createListings>;
