// Counts the users that are missing from a complete listing, in slices that leave the event loop free in between.

import { MISSED_LISTINGS_UNTIL_REMOVED } from '../../listing.ts';
import type { Listings } from '../accounts/listings.ts';
import type { Database } from '../file/database.ts';

/** The rows of one transaction. */
const SLICE = 500;

interface UserRow {
  readonly rowid: number;
  readonly id: string;
  readonly missedListings: number;
  readonly missedInListing: number | null;
  readonly removedSince: number | null;
}

/** The listing whose misses are counted. */
interface ListingMark {
  /** When the listing began (ms). */
  readonly mark: number;
  readonly now: number;
}

interface RemovedUsers {
  /** Counts the misses of a complete listing that began at `startedAt` (ms), then marks the listing as complete. */
  complete(accountId: number, seenIds: ReadonlySet<string>, startedAt: number, now: number): Promise<void>;
}

/** The SQL condition for a user that is not removed. Misses of the listing `completing` do not count yet. */
export const IS_NOT_REMOVED = '(removed_since IS NULL OR missed_in_listing = @completing)';

/**
 * Each row stores the listing that counted its newest miss. If the count is interrupted, part of the rows have the mark
 * of that listing. The next listing continues under the same mark, so no miss counts twice.
 */
export const createRemovedUsers = (db: Database, listings: Listings): RemovedUsers => {
  const { sql } = db;
  const rowsAfter = sql.prepare<[number, string, number], UserRow>(
    `SELECT rowid, id, missed_listings AS missedListings, missed_in_listing AS missedInListing,
       removed_since AS removedSince
     FROM proxy_user WHERE account_id = ? AND id > ? ORDER BY id LIMIT ?`,
  );
  const setMissed = sql.prepare<[number, number | null, number | null, number]>(
    'UPDATE proxy_user SET missed_listings = ?, missed_in_listing = ?, removed_since = ? WHERE rowid = ?',
  );

  const countMiss = (row: UserRow, { mark, now }: ListingMark): void => {
    const isCounted = row.missedListings > 0 && row.missedInListing === mark;
    if (isCounted || row.removedSince !== null) return;
    const missed = row.missedListings + 1;
    setMissed.run(missed, mark, missed >= MISSED_LISTINGS_UNTIL_REMOVED ? now : null, row.rowid);
  };

  /** Returns the last id of the slice, or undefined if no rows are left. */
  const countSlice = (
    accountId: number,
    after: string,
    seenIds: ReadonlySet<string>,
    listing: ListingMark,
  ): string | undefined => {
    const rows = rowsAfter.all(accountId, after, SLICE);
    for (const row of rows) {
      if (!seenIds.has(row.id)) countMiss(row, listing);
      else if (row.missedListings > 0) setMissed.run(0, null, null, row.rowid);
    }
    return rows.at(-1)?.id;
  };

  return {
    complete: async (accountId, seenIds, startedAt, now) => {
      const mark = db.write(() => listings.beginCompletion(accountId, startedAt));
      for (let after: string | undefined = ''; after !== undefined; ) {
        const from: string = after;
        after = db.write(() => countSlice(accountId, from, seenIds, { mark, now }));
        await new Promise(setImmediate);
      }
      db.write(() => listings.markComplete(accountId, startedAt, now));
    },
  };
};
