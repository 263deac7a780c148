// Stores proxy users, their usage counters and their details.

import type { Listing } from '../../listing.ts';
import type { UserObservation, UserStore } from '../../user-store.ts';
import { createListings } from '../accounts/listings.ts';
import type { Database } from '../file/database.ts';
import { prepareValue } from '../row.ts';
import { createRemovedUsers, IS_NOT_REMOVED } from './removed-users.ts';
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
  const pageOf = sql.prepare<PageQuery, UserRow>(
    `SELECT ${columns} FROM proxy_user WHERE account_id = @accountId AND id > @after AND ${IS_NOT_REMOVED}
     ORDER BY id LIMIT @limit`,
  );
  const userById = sql.prepare<Omit<PageQuery, 'limit'>, UserRow>(
    `SELECT ${columns} FROM proxy_user WHERE account_id = @accountId AND id = @after AND ${IS_NOT_REMOVED}`,
  );

  return {
    savePage: async (account, users, now, startedAt = now, options = {}) => {
      const accountId = db.accountId(account);
      db.write(() => {
        const listing = listings.of(accountId);
        const isNew = newUsers.rule(accountId, listing, startedAt, now, options.createdAtOf);
        const heldUntil = listings.heldUntil(accountId, now);
        const growth = { residential: 0, mobile: 0 };
        const context = { listing, heldUntil, startedAt: options.listingStartedAt ?? startedAt, now, isNew };
        saved.save(accountId, users, context, growth);
        usage.add(accountId, listing, startedAt, growth);
        listings.recordPage(accountId, startedAt);
      });
    },
    countListing: async (account, startedAt, now) => {
      const accountId = db.accountId(account);
      db.write(() => listings.markCounted(accountId, startedAt, now));
    },
    completeListing: async (account, seenIds, startedAt, now) =>
      missingUsers.complete(db.accountId(account), seenIds, startedAt, now),
    listing: async (account) => db.read(() => listings.of(db.knownAccountId(account))),
    find: async (account, id) =>
      db.read(() => {
        const accountId = db.knownAccountId(account);
        const row = userById.get({
          accountId,
          after: id,
          completing: listings.completingStartedAt(accountId),
        });
        return row && withoutExpired(row, listings.of(accountId).countedStartedAt);
      }),
    page: async (account, after, limit) =>
      db.read(() => {
        const accountId = db.knownAccountId(account);
        const { countedStartedAt } = listings.of(accountId);
        const completing = listings.completingStartedAt(accountId);
        const rows = pageOf.all({ accountId, after, limit, completing });
        return rows.map((row) => withoutExpired(row, countedStartedAt));
      }),
    details: async (account, ids) => db.read(() => details.of(db.knownAccountId(account), ids)),
    usageSince: async (account) => db.read(() => usage.since(db.knownAccountId(account))),
    usage: async (account, from, to) => db.read(() => usage.periods(db.knownAccountId(account), from, to)),
  };
};

interface PageQuery {
  readonly accountId: number;
  readonly after: string;
  readonly limit: number;
  readonly completing: number | null;
}

interface NewUsers {
  /**
   * Returns whether a newly observed user is new. After a complete listing, every such user is new. Before one, only a
   * user created since polling began is new. That depends on the provider's times, which are ignored if any traffic of
   * the account lies in the future.
   */
  rule(
    accountId: number,
    listing: Listing,
    startedAt: number,
    now: number,
    createdAt?: (user: UserObservation) => number | null,
  ): (user: UserObservation) => boolean;
}

const createNewUsers = ({ sql }: Database): NewUsers => {
  const hasTrafficAfter = prepareValue<[number, number], number>(
    sql,
    `SELECT 1 FROM graph WHERE account_id = ?
         AND EXISTS (SELECT 1 FROM bucket WHERE graph_id = graph.id AND at > ? AND (bytes > 0 OR requests > 0)) LIMIT 1`,
  );
  return {
    rule: (accountId, { baselinedAt, beganAt }, startedAt, now, createdAt = () => null) => {
      if (baselinedAt !== null) return () => true;
      const since = beganAt ?? startedAt;
      return (user) => {
        const at = createdAt(user);
        return at !== null && at >= since && at <= now && hasTrafficAfter.get(accountId, now) === undefined;
      };
    },
  };
};
