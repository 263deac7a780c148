// The listing table: when a collector's listing of an account was first, and last, complete.

import type { Listing } from '../listing.ts';
import type { Database } from './database.ts';

export interface Listings {
  of(accountId: number): Listing;
  /** Until when (ms) a counter shows 0 that is made at `now`. */
  heldUntil(accountId: number, now: number): number;
  /** Notes that a page was stored of a run begun at `startedAt`. Inside a transaction. */
  touch(accountId: number, startedAt: number): void;
  /** Notes that a listing begun at `startedAt` is complete; the first one is the baseline. Inside a transaction. */
  complete(accountId: number, startedAt: number, now: number, unread?: number): void;
}

const NEVER: Listing = {
  baselinedAt: null,
  completeStartedAt: null,
  completeAt: null,
  unread: 0,
  storedAt: null,
};

export const createListings = ({ sql, firstStepHoldMs }: Database, collector: string): Listings => {
  const read = sql.prepare<[number, string], Listing>(
    `SELECT baselined_at AS baselinedAt, complete_started_at AS completeStartedAt,
            complete_at AS completeAt, unread, stored_at AS storedAt
     FROM listing WHERE account_id = ? AND collector = ?`,
  );
  // Times move forward only, so that a clock set back makes no counter fall.
  const touch = sql.prepare(
    `INSERT INTO listing (account_id, collector, stored_at) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET stored_at = max(coalesce(stored_at, 0), excluded.stored_at)`,
  );
  const complete = sql.prepare(
    `UPDATE listing SET baselined_at = coalesce(baselined_at, @startedAt),
            complete_started_at = @startedAt, complete_at = @now, unread = @unread
     WHERE account_id = @accountId AND collector = @collector`,
  );
  const of = (accountId: number): Listing => read.get(accountId, collector) ?? NEVER;
  const touchAt = (accountId: number, startedAt: number): void => {
    touch.run(accountId, collector, startedAt);
  };
  return {
    of,
    // A clock set back must not show a new counter at once, before the time of a run that is stored already.
    heldUntil: (accountId, now) => Math.max(now, of(accountId).storedAt ?? now) + firstStepHoldMs,
    touch: touchAt,
    complete: (accountId, startedAt, now, unread = 0) => {
      touchAt(accountId, startedAt);
      complete.run({ accountId, collector, startedAt, now, unread });
    },
  };
};
