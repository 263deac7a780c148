// The listing table: when a collector's listing of an account was first, and last, complete.

import type { Listing } from '../../listing.ts';
import type { Database } from '../file/database.ts';

export interface Listings {
  of(accountId: number): Listing;
  /** Until when (ms) a counter shows 0 that is made at `now`. */
  heldUntil(accountId: number, now: number): number;
  /** Notes that a page was stored of a run begun at `startedAt`. Inside a transaction. */
  touch(accountId: number, startedAt: number): void;
  /**
   * Notes that misses of a listing begun at `startedAt` are being counted, and tells under which mark: that of one that
   * was broken off while its own were. Inside a transaction.
   */
  beginCompleting(accountId: number, startedAt: number): number;
  /** The mark of misses that do not count yet; null where there are none. */
  completing(accountId: number): number | null;
  /** Notes that a listing begun at `startedAt` saw all but what moved meanwhile. Inside a transaction. */
  count(accountId: number, startedAt: number, now: number, unread?: number): void;
  /** Notes that a listing begun at `startedAt` is complete; the first one is the baseline. Inside a transaction. */
  complete(accountId: number, startedAt: number, now: number, unread?: number): void;
}

const NEVER: Listing = {
  beganAt: null,
  baselinedAt: null,
  completeStartedAt: null,
  completeAt: null,
  countedStartedAt: null,
  countedAt: null,
  unread: 0,
  storedAt: null,
};

export const createListings = ({ sql, firstStepHoldMs }: Database, collector: string): Listings => {
  const read = sql.prepare<[number, string], Listing>(
    `SELECT began_at AS beganAt, baselined_at AS baselinedAt, complete_started_at AS completeStartedAt,
            complete_at AS completeAt, counted_started_at AS countedStartedAt, counted_at AS countedAt,
            unread, stored_at AS storedAt
     FROM listing WHERE account_id = ? AND collector = ?`,
  );
  // Times move forward only, so that a clock set back makes no counter fall.
  const touch = sql.prepare(
    `INSERT INTO listing (account_id, collector, stored_at, began_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET stored_at = max(coalesce(stored_at, 0), excluded.stored_at),
       began_at = coalesce(began_at, excluded.began_at)`,
  );
  const count = sql.prepare(
    `UPDATE listing SET counted_started_at = @startedAt, counted_at = @now, unread = @unread
     WHERE account_id = @accountId AND collector = @collector`,
  );
  const beginCompleting = sql
    .prepare<[number, number, string], number>(
      `UPDATE listing SET completing = coalesce(completing, ?) WHERE account_id = ? AND collector = ?
       RETURNING completing`,
    )
    .pluck();
  const completing = sql
    .prepare<[number, string], number | null>(
      'SELECT completing FROM listing WHERE account_id = ? AND collector = ?',
    )
    .pluck();
  const complete = sql.prepare(
    `UPDATE listing SET baselined_at = coalesce(baselined_at, @startedAt),
            complete_started_at = @startedAt, complete_at = @now, completing = NULL
     WHERE account_id = @accountId AND collector = @collector`,
  );
  const of = (accountId: number): Listing => read.get(accountId, collector) ?? NEVER;
  const touchAt = (accountId: number, startedAt: number): void => {
    touch.run(accountId, collector, startedAt, startedAt);
  };
  const countAt = (accountId: number, startedAt: number, now: number, unread: number): void => {
    touchAt(accountId, startedAt);
    count.run({ accountId, collector, startedAt, now, unread });
  };
  return {
    of,
    // A clock set back must not show a new counter at once, before the time of a run that is stored already.
    heldUntil: (accountId, now) => Math.max(now, of(accountId).storedAt ?? now) + firstStepHoldMs,
    touch: touchAt,
    beginCompleting: (accountId, startedAt) =>
      beginCompleting.get(startedAt, accountId, collector) ?? startedAt,
    completing: (accountId) => completing.get(accountId, collector) ?? null,
    count: (accountId, startedAt, now, unread = 0) => countAt(accountId, startedAt, now, unread),
    complete: (accountId, startedAt, now, unread = 0) => {
      countAt(accountId, startedAt, now, unread);
      complete.run({ accountId, collector, startedAt, now });
    },
  };
};
