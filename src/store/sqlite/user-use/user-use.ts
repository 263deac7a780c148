// Composes the store of each user's use over time.

import type { UserDay, UserUseStore } from '../../user-use-store.ts';
import { createListings } from '../accounts/listings.ts';
import type { Database } from '../file/database.ts';
import { createUseStoring } from './storing.ts';
import { createUseDays, MISSING_COLUMNS, type MissingRow, missingUse } from './use-periods.ts';
import { createUseRanking } from './use-ranking.ts';
import { createUseRowStatements, type UseRow, unpackHours } from './use-rows.ts';

interface UserRow extends MissingRow {
  readonly mark: number | null;
  readonly deletedUntil: number | null;
}

interface RankedRow extends MissingRow {
  readonly id: string;
  readonly accountId: number;
  readonly isRemoved: number;
}

export const createUserUseStore = (db: Database): UserUseStore => {
  const { sql } = db;
  const days = createUseDays(db);
  const listings = createListings(db, 'proxy_users');
  const findUser = sql.prepare<[number, string], UserRow>(
    `SELECT ${MISSING_COLUMNS}, m.id AS mark, m.deleted_until AS deletedUntil
     FROM proxy_user u LEFT JOIN user_use_mark m ON m.user = u.rowid WHERE u.account_id = ? AND u.id = ?`,
  );
  const { rowOf } = createUseRowStatements(db);
  const findRanked = sql.prepare<[number], RankedRow>(
    `SELECT ${MISSING_COLUMNS}, u.id, u.account_id AS accountId, removed_since IS NOT NULL AS isRemoved
     FROM user_use_mark m JOIN proxy_user u ON u.rowid = m.user WHERE m.id = ?`,
  );
  return {
    store: createUseStoring(db),
    days: db.readOf(days.between),
    since: db.readOf(days.since),
    ofUser: db.readOf((accountId, id, from, to) => {
      const user = findUser.get(accountId, id);
      if (!user) return undefined;
      const known = user.mark === null ? [] : days.between(accountId, from, to);
      const rows = known.flatMap(({ day }) => rowOf.get(accountId, day, user.mark ?? 0) ?? []);
      return {
        missing: missingUse(user, listings.of(accountId).countedStartedAt),
        deletedUntil: user.deletedUntil,
        days: rows.map(dayOf),
      };
    }),
    ...createUseRanking(db),
    rankedUser: db.reading((user) => {
      const found = findRanked.get(user);
      if (!found) return undefined;
      const { id, isRemoved, accountId } = found;
      const missing = missingUse(found, listings.of(accountId).countedStartedAt);
      return { id, isRemoved: isRemoved === 1, missing };
    }),
  };
};

const dayOf = ({ day, residential, mobile, hours }: UseRow): UserDay => ({
  day,
  bytes: { residential, mobile },
  hours: hours && unpackHours(hours),
});
