// Composes the store of each user's use over time.

import type { UserDay, UserUse, UserUseStore } from '../../user-use-store.ts';
import { createListings } from '../accounts/listings.ts';
import type { Database } from '../file/database.ts';
import { isExpired, unpackMissingSince, type ValuesRow } from '../users/expired-values.ts';
import { unpackHours } from './hours.ts';
import { createUseStoring } from './storing.ts';
import { createUseDays } from './use-days.ts';
import { createUseRanking } from './use-ranking.ts';
import { createUseRowStatements, type UseRow } from './use-rows.ts';

interface UserRow extends ValuesRow {
  readonly mark: number | null;
  readonly deletedUntil: number | null;
}

export const createUserUseStore = (db: Database): UserUseStore => {
  const { sql } = db;
  const days = createUseDays(db);
  const listings = createListings(db, 'proxy_users');
  const findUser = sql.prepare<[number, string], UserRow>(
    `SELECT residential_limit, residential_used, mobile_limit, mobile_used, expired_values, m.id AS mark, m.deleted_until AS deletedUntil
     FROM proxy_user u LEFT JOIN user_use_mark m ON m.user = u.rowid WHERE u.account_id = ? AND u.id = ?`,
  );
  const { rowOf } = createUseRowStatements(db);
  const findIdentity = sql.prepare<[number], { id: string; isRemoved: number }>(
    `SELECT id, removed_since IS NOT NULL AS isRemoved FROM proxy_user
     WHERE rowid = (SELECT user FROM user_use_mark WHERE id = ?)`,
  );
  return {
    store: createUseStoring(db),
    days: async (account, from, to) => db.read(() => days.between(db.knownAccountId(account), from, to)),
    since: async (account) => db.read(() => days.since(db.knownAccountId(account))),
    ofUser: async (account, id, from, to) =>
      db.read(() => {
        const accountId = db.knownAccountId(account);
        const user = findUser.get(accountId, id);
        if (!user) return undefined;
        const known = user.mark === null ? [] : days.between(accountId, from, to);
        const rows = known.flatMap(({ day }) => rowOf.get(accountId, day, user.mark ?? 0) ?? []);
        return {
          isGiven: givenTypes(user, listings.of(accountId).countedStartedAt),
          deletedUntil: user.deletedUntil,
          days: rows.map(dayOf),
        };
      }),
    ...createUseRanking(db),
    identity: async (user) => {
      const found = db.read(() => findIdentity.get(user));
      return found && { id: found.id, isRemoved: found.isRemoved === 1 };
    },
  };
};

const givenTypes = (row: UserRow, countedStartedAt: number | null): UserUse['isGiven'] => {
  const missingSince = unpackMissingSince(row);
  const isGiven = (value: 'residential_used' | 'mobile_used'): boolean =>
    row[value] !== null && !isExpired(missingSince[value], countedStartedAt);
  return { residential: isGiven('residential_used'), mobile: isGiven('mobile_used') };
};

const dayOf = ({ day, residential, mobile, hours }: UseRow): UserDay => ({
  day,
  bytes: { residential, mobile },
  hours: hours && unpackHours(hours),
});
