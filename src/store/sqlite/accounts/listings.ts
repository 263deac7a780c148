// Stores how far a collector's listing of an account has come: when it began, was counted and was complete.

import type { Listing } from '../../listing.ts';
import type { Database } from '../file/database.ts';
import { prepareValue } from '../row.ts';

export interface Listings {
  of(accountId: number): Listing;
  /** Returns until when (ms) a counter that is created at `now` shows 0. */
  heldUntil(accountId: number, now: number): number;
  /** Records that a run begun at `startedAt` (ms) stored a page. Inside a transaction. */
  recordPage(accountId: number, startedAt: number): void;
  /**
   * Records that the missing items of a listing begun at `startedAt` (ms) are being counted. Returns the start of the
   * listing to count them for, which is an earlier one if its counting was interrupted. Inside a transaction.
   */
  beginCompletion(accountId: number, startedAt: number): number;
  /** Returns the start (ms) of the listing whose missing items are being counted; null if there is none. */
  completingStartedAt(accountId: number): number | null;
  /**
   * Records that a listing begun at `startedAt` (ms) saw all items but those that moved meanwhile. Inside a
   * transaction.
   */
  markCounted(accountId: number, startedAt: number, now: number, undecodedRows?: number): void;
  /**
   * Records that a listing begun at `startedAt` (ms) is complete; the first one is the baseline. Inside a transaction.
   */
  markComplete(accountId: number, startedAt: number, now: number, undecodedRows?: number): void;
}

const EMPTY_LISTING: Listing = {
  beganAt: null,
  baselinedAt: null,
  completeStartedAt: null,
  completeAt: null,
  countedStartedAt: null,
  countedAt: null,
  undecodedRows: 0,
  storedAt: null,
};

export const createListings = ({ sql, firstStepHoldMs }: Database, collector: string): Listings => {
  const read = sql.prepare<[number, string], Listing>(
    `SELECT began_at AS beganAt, baselined_at AS baselinedAt, complete_started_at AS completeStartedAt,
            complete_at AS completeAt, counted_started_at AS countedStartedAt, counted_at AS countedAt,
            undecoded_rows AS undecodedRows, stored_at AS storedAt
     FROM listing WHERE account_id = ? AND collector = ?`,
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
    sql,
    `UPDATE listing SET completing_started_at = coalesce(completing_started_at, ?) WHERE account_id = ? AND collector = ?
       RETURNING completing_started_at`,
  );
  const completing = prepareValue<[number, string], number | null>(
    sql,
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
  const markCounted = (accountId: number, startedAt: number, now: number, undecodedRows: number): void => {
    recordPage(accountId, startedAt);
    updateCounted.run({ accountId, collector, startedAt, now, undecodedRows });
  };
  return {
    of,
    // If the clock was set back, a new counter must stay held until after the newest run that is already stored.
    heldUntil: (accountId, now) => Math.max(now, of(accountId).storedAt ?? now) + firstStepHoldMs,
    recordPage,
    beginCompletion: (accountId, startedAt) =>
      updateCompleting.get(startedAt, accountId, collector) ?? startedAt,
    completingStartedAt: (accountId) => completing.get(accountId, collector) ?? null,
    markCounted: (accountId, startedAt, now, undecodedRows = 0) =>
      markCounted(accountId, startedAt, now, undecodedRows),
    markComplete: (accountId, startedAt, now, undecodedRows = 0) => {
      markCounted(accountId, startedAt, now, undecodedRows);
      updateComplete.run({ accountId, collector, startedAt, now });
    },
  };
};
