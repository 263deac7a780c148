// Counts the users that a complete listing did not have, slice by slice with the event loop free in between.

import { MISSED_WHEN_GONE } from '../../listing.ts';
import type { Listings } from '../accounts/listings.ts';
import type { Database } from '../file/database.ts';

/** Rows of a transaction. */
const SLICE = 500;

interface Row {
  readonly rowid: number;
  readonly id: string;
  readonly missed: number;
  readonly missedIn: number | null;
  readonly goneSince: number | null;
}

/** The listing whose misses are counted, by when it began (ms), and the present time. */
interface Counting {
  readonly mark: number;
  readonly now: number;
}

export interface MissedUsers {
  /** Counts the misses of a complete listing begun at `startedAt`, and then marks it as complete. */
  complete(accountId: number, seen: ReadonlySet<string>, startedAt: number, now: number): Promise<void>;
}

/** True for a user that is not removed: misses of the listing `completing` do not count yet. */
export const IS_THERE = '(gone_since IS NULL OR missed_in = @completing)';

/**
 * Each row knows the listing that counted its newest miss. One that was broken off in between left its own in a part of
 * the rows: the next one goes on under the same mark, as if there had been one, so that no miss counts twice.
 */
export const createMissedUsers = (db: Database, listings: Listings): MissedUsers => {
  const { sql } = db;
  const rowsAfter = sql.prepare<[number, string, number], Row>(
    `SELECT rowid, id, missed, missed_in AS missedIn, gone_since AS goneSince FROM proxy_user
     WHERE account_id = ? AND id > ? ORDER BY id LIMIT ?`,
  );
  const setMissed = sql.prepare<[number, number | null, number | null, number]>(
    'UPDATE proxy_user SET missed = ?, missed_in = ?, gone_since = ? WHERE rowid = ?',
  );

  const miss = (row: Row, { mark, now }: Counting): void => {
    const isCounted = row.missed > 0 && row.missedIn === mark;
    if (isCounted || row.goneSince !== null) return;
    const missed = row.missed + 1;
    setMissed.run(missed, mark, missed >= MISSED_WHEN_GONE ? now : null, row.rowid);
  };

  /** The id that the slice ends with; undefined when none is left. */
  const countSlice = (
    accountId: number,
    after: string,
    seen: ReadonlySet<string>,
    counting: Counting,
  ): string | undefined => {
    const rows = rowsAfter.all(accountId, after, SLICE);
    for (const row of rows) {
      if (!seen.has(row.id)) miss(row, counting);
      else if (row.missed > 0) setMissed.run(0, null, null, row.rowid);
    }
    return rows.at(-1)?.id;
  };

  return {
    complete: async (accountId, seen, startedAt, now) => {
      const mark = db.write(() => listings.beginCompleting(accountId, startedAt));
      for (let after: string | undefined = ''; after !== undefined; ) {
        const from: string = after;
        after = db.write(() => countSlice(accountId, from, seen, { mark, now }));
        await new Promise(setImmediate);
      }
      db.write(() => listings.complete(accountId, startedAt, now));
    },
  };
};
