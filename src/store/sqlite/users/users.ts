// Stores proxy users, their usage counters and their details.

import type { IdSet } from '../../../lib/sorted.ts';
import { type Listing, MISSED_LISTINGS_UNTIL_REMOVED } from '../../listing.ts';
import type { StoredUser, UserObservation, UserStore } from '../../user-store.ts';
import { createListings, type Listings } from '../accounts/listings.ts';
import type { Database } from '../file/database.ts';
import { walkSlices } from '../slices.ts';
import { createSavedUsers, createUserDetails } from './saved-users.ts';
import { createUserUsage } from './usage-history.ts';
import { type UserRow, VALUE_COLUMNS, withoutExpired } from './user-row.ts';

export const createUserStore = (db: Database): UserStore => {
  const { sql } = db;
  const listings = createListings(db, 'proxy_users');
  const missingUsers = createRemovedUsers(db, listings);
  const newUsers = createNewUsers(db);
  const usage = createUserUsage(db);
  const columns = ['id', ...VALUE_COLUMNS].join(', ');
  const details = createUserDetails(db);
  const saved = createSavedUsers(db);
  const rowsWith = (condition: string) =>
    sql.prepare<RowQuery, UserRow>(
      `SELECT ${columns} FROM proxy_user WHERE account_id = @accountId AND ${condition} AND ${IS_NOT_REMOVED}
       ORDER BY id LIMIT @limit`,
    );
  const [rowOf, rowsAfter] = [rowsWith('id = @id'), rowsWith('id > @after')];
  const rowsUntil = rowsWith('id > @after AND id <= @until');
  const rowsOf = rowsWith('id IN (SELECT value FROM json_each(@ids))');

  const usersOf = db.readOf((accountId, rows: ReturnType<typeof rowsWith>, query: object): StoredUser[] => {
    const { countedStartedAt } = listings.of(accountId);
    const completing = listings.completingStartedAt(accountId);
    const found = rows.all({ accountId, completing, limit: -1, ...query });
    return found.map((row) => withoutExpired(row, countedStartedAt));
  });

  return {
    savePage: async (account, users, now, startedAt = now, options = {}) => {
      const accountId = db.accountId(account);
      return db.write(() => {
        const listing = listings.of(accountId);
        const isNew = newUsers.rule(accountId, listing, startedAt, now, options.createdAtOf);
        const heldUntil = listings.heldUntil(accountId, now);
        const growth = { residential: 0, mobile: 0 };
        const context = { listing, heldUntil, startedAt: options.listingStartedAt ?? startedAt, now, isNew };
        const settled = saved.save(accountId, users, context, growth);
        usage.add(accountId, listing, startedAt, growth);
        listings.recordPage(accountId, startedAt);
        return settled;
      });
    },
    countListing: db.writeOf(listings.markCounted),
    completeListing: async (account, seenIds, startedAt, now) =>
      missingUsers.complete(db.accountId(account), seenIds, startedAt, now),
    listing: db.readOf(listings.of),
    find: async (account, id) => (await usersOf(account, rowOf, { id }))[0],
    findAll: (account, ids) => usersOf(account, rowsOf, { ids: JSON.stringify(ids) }),
    page: (account, after, limit, until) =>
      until === undefined
        ? usersOf(account, rowsAfter, { after, limit })
        : usersOf(account, rowsUntil, { after, limit, until }),
    details: db.readOf(details.of),
    usageSince: db.readOf(usage.since),
    usage: db.readOf(usage.periods),
  };
};

interface RowQuery {
  readonly accountId: number;
  readonly completing: number | null;
  readonly limit: number;
}

const createNewUsers = ({ prepareValue }: Database) => {
  const hasTrafficAfter = prepareValue<[number, number], number>(`SELECT 1 FROM graph WHERE account_id = ?
         AND EXISTS (SELECT 1 FROM bucket WHERE graph_id = graph.id AND at > ? AND (bytes > 0 OR requests > 0)) LIMIT 1`);
  return {
    /**
     * Returns whether a newly observed user is new. After a complete listing, every such user is new. Before one, only a
     * user created since polling began is new. That depends on the provider's times, which are ignored if any traffic of
     * the account lies in the future.
     */
    rule: (
      accountId: number,
      { baselinedAt, beganAt }: Listing,
      startedAt: number,
      now: number,
      createdAt: (user: UserObservation) => number | null = () => null,
    ): ((user: UserObservation) => boolean) => {
      if (baselinedAt !== null) return () => true;
      const since = beganAt ?? startedAt;
      return (user) => {
        const at = createdAt(user);
        return at !== null && at >= since && at <= now && hasTrafficAfter.get(accountId, now) === undefined;
      };
    },
  };
};

/** The rows of one transaction. */
const SLICE = 500;

interface ListedRow {
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

/** The SQL condition for a user that is not removed. Misses of the listing `completing` do not count yet. */
const IS_NOT_REMOVED = '(removed_since IS NULL OR missed_in_listing = @completing)';

/** Each row has the listing of its newest miss. An interrupted count goes on under this mark, so no miss counts twice. */
const createRemovedUsers = (db: Database, listings: Listings) => {
  const { sql } = db;
  const rowsAfter = sql.prepare<[number, string, number], ListedRow>(
    `SELECT rowid, id, missed_listings AS missedListings, missed_in_listing AS missedInListing,
       removed_since AS removedSince
     FROM proxy_user WHERE account_id = ? AND id > ? ORDER BY id LIMIT ?`,
  );
  const setMissed = sql.prepare<[number, number | null, number | null, number]>(
    'UPDATE proxy_user SET missed_listings = ?, missed_in_listing = ?, removed_since = ? WHERE rowid = ?',
  );

  const isCounted = (row: ListedRow, mark: number): boolean =>
    row.removedSince !== null || (row.missedListings > 0 && row.missedInListing === mark);

  const countMiss = (row: ListedRow, { mark, now }: ListingMark): void => {
    const missed = row.missedListings + 1;
    setMissed.run(missed, mark, missed >= MISSED_LISTINGS_UNTIL_REMOVED ? now : null, row.rowid);
  };

  /** Returns the last id of the slice, or undefined if no rows are left. Most slices change nothing, and write nothing. */
  const countSlice = (
    accountId: number,
    after: string,
    seenIds: IdSet,
    listing: ListingMark,
  ): string | undefined => {
    const rows = db.read(() => rowsAfter.all(accountId, after, SLICE));
    const seen = rows.filter((row) => seenIds.has(row.id) && row.missedListings > 0);
    const missed = rows.filter((row) => !seenIds.has(row.id) && !isCounted(row, listing.mark));
    if (seen.length + missed.length > 0)
      db.write(() => {
        for (const { rowid } of seen) setMissed.run(0, null, null, rowid);
        for (const row of missed) countMiss(row, listing);
      });
    return rows.at(-1)?.id;
  };

  return {
    /** Counts the misses of a complete listing that began at `startedAt` (ms), then marks the listing as complete. */
    complete: async (accountId: number, seenIds: IdSet, startedAt: number, now: number): Promise<void> => {
      const mark = db.write(() => listings.beginCompletion(accountId, startedAt));
      await walkSlices('', (after) => countSlice(accountId, after, seenIds, { mark, now }));
      db.write(() => listings.markComplete(accountId, startedAt, now));
    },
  };
};
