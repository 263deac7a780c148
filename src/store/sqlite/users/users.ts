// Statements of proxy users.

import { METERED_TYPES } from '../../../lib/product-types.ts';
import type { UserObservation, UserStore } from '../../user-store.ts';
import { createListings } from '../accounts/listings.ts';
import type { Database } from '../file/database.ts';
import { lapsesAfter } from './expired-values.ts';
import { createMissedUsers, IS_THERE } from './missed-users.ts';
import { createNewUsers } from './new-users.ts';
import { type Sighting, seenUser } from './observed-user.ts';
import { createUserDetails } from './user-details.ts';
import { isAsSeen, shownFromRow, toValues, type UserRow, VALUE_COLUMNS } from './user-row.ts';
import { createUserUsage, type UsageGrowth } from './user-usage.ts';

type FoundRow = UserRow & { readonly rowid: number };

export const createUserStore = (db: Database): UserStore => {
  const { sql } = db;
  const listings = createListings(db, 'proxy_users');
  const missed = createMissedUsers(db, listings);
  const newUsers = createNewUsers(db);
  const usage = createUserUsage(db);
  const columns = ['id', ...VALUE_COLUMNS].join(', ');
  const details = createUserDetails(db);
  const find = sql.prepare<[number, string], FoundRow>(
    `SELECT rowid, ${columns} FROM proxy_user WHERE account_id = ? AND id = ?`,
  );
  // Bound by position: by name costs more than the write itself.
  const insert = sql.prepare(
    `INSERT INTO proxy_user (account_id, ${columns}) VALUES (?, ?, ${VALUE_COLUMNS.map(() => '?').join(', ')})`,
  );
  const update = sql.prepare(
    `UPDATE proxy_user SET ${VALUE_COLUMNS.map((name) => `${name} = ?`).join(', ')} WHERE rowid = ?`,
  );
  const pageOf = sql.prepare<PageOf, UserRow>(
    `SELECT ${columns} FROM proxy_user WHERE account_id = @accountId AND id > @after AND ${IS_THERE}
     ORDER BY id LIMIT @limit`,
  );
  const one = sql.prepare<Omit<PageOf, 'limit'>, UserRow>(
    `SELECT ${columns} FROM proxy_user WHERE account_id = @accountId AND id = @after AND ${IS_THERE}`,
  );

  /** Stores a user who changed, and adds what was used since. */
  const saveUser = (
    accountId: number,
    user: UserObservation,
    sighting: Sighting,
    growth: UsageGrowth,
  ): void => {
    const row = find.get(accountId, user.id);
    const lapses = row ? lapsesAfter(row, user.quotas, sighting.startedAt, sighting.listing) : null;
    const isAsKnown = row !== undefined && isAsSeen(row, user, lapses);
    const rowid = isAsKnown ? row.rowid : saveQuotas(accountId, user, row, lapses, sighting, growth);
    details.save(rowid, user.details);
  };

  const saveQuotas = (
    accountId: number,
    user: UserObservation,
    row: FoundRow | undefined,
    lapses: string | null,
    sighting: Sighting,
    growth: UsageGrowth,
  ): number | bigint => {
    const seen = seenUser(row, user, sighting);
    for (const type of METERED_TYPES) growth[type] += seen.growth[type];
    const values = toValues(seen.user, { lapses, unsettled: seen.unsettled });
    if (!row) return insert.run(accountId, user.id, ...values).lastInsertRowid;
    update.run(...values, row.rowid);
    return row.rowid;
  };

  return {
    savePage: async (account, users, now, startedAt = now, more = {}) => {
      const accountId = db.accountId(account);
      db.write(() => {
        const listing = listings.of(accountId);
        const isNew = newUsers.rule(accountId, listing, startedAt, now, more.bornAt);
        const heldUntil = listings.heldUntil(accountId, now);
        const growth = { residential: 0, mobile: 0 };
        const sighting = { listing, heldUntil, startedAt: more.passStartedAt ?? startedAt, now, isNew };
        for (const user of users) saveUser(accountId, user, sighting, growth);
        usage.add(accountId, listing, startedAt, growth);
        listings.touch(accountId, startedAt);
      });
    },
    countListing: async (account, startedAt, now) => {
      const accountId = db.accountId(account);
      db.write(() => listings.count(accountId, startedAt, now));
    },
    completeListing: async (account, seen, startedAt, now) =>
      missed.complete(db.accountId(account), seen, startedAt, now),
    listing: async (account) => db.read(() => listings.of(db.knownAccountId(account))),
    find: async (account, id) =>
      db.read(() => {
        const accountId = db.knownAccountId(account);
        const row = one.get({ accountId, after: id, completing: listings.completing(accountId) });
        return row && shownFromRow(row, listings.of(accountId).countedStartedAt);
      }),
    page: async (account, after, limit) =>
      db.read(() => {
        const accountId = db.knownAccountId(account);
        const { countedStartedAt } = listings.of(accountId);
        const completing = listings.completing(accountId);
        const rows = pageOf.all({ accountId, after, limit, completing });
        return rows.map((row) => shownFromRow(row, countedStartedAt));
      }),
    details: async (account, ids) => db.read(() => details.of(db.knownAccountId(account), ids)),
    usage: async (account, from, to) => db.read(() => usage.periods(db.knownAccountId(account), from, to)),
  };
};

interface PageOf {
  readonly accountId: number;
  readonly after: string;
  readonly limit: number;
  readonly completing: number | null;
}
