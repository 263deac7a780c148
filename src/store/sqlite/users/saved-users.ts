// Writes observed users to their rows. Most polls change a few columns of some rows, so only these are written.

import { METERED_TYPES, type MeteredType } from '../../../lib/product-types.ts';
import type { UserDetails, UserObservation } from '../../user-store.ts';
import type { Database } from '../file/database.ts';
import { createMissingUseRecorder } from '../user-use/use-periods.ts';
import { hasPendingChange, missingSinceAfter } from './missing-values.ts';
import { applyObservation, type ObservationContext, type ObservedUser } from './observed-user.ts';
import type { UsageGrowth } from './usage-history.ts';
import {
  addQuotaValues,
  isSettingUnchanged,
  isUnchanged,
  QUOTA_COLUMNS,
  toValues,
  type UserRow,
  VALUE_COLUMNS,
} from './user-row.ts';

type FoundRow = UserRow & { readonly rowid: number; readonly details: string | null };

/** A page of a listing has as many. Finding the rows of a page at once takes a third of the time of single queries. */
const FOUND_AT_ONCE = 100;

export const createSavedUsers = (db: Database) => {
  const { sql } = db;
  const columns = ['id', ...VALUE_COLUMNS].join(', ');
  const details = createUserDetails(db);
  const recordMissingUse = createMissingUseRecorder(db);
  // A subquery is used instead of a join, because SQLite plans a join again at each bind, which takes 20 times as long.
  const find = sql.prepare<unknown[], FoundRow>(
    `SELECT rowid, ${columns}, (SELECT details FROM proxy_user_details WHERE user = proxy_user.rowid) AS details
     FROM proxy_user WHERE account_id = ? AND id IN (${placeholders(FOUND_AT_ONCE)})`,
  );
  // Values are bound by position, because binding by name costs more than the write itself.
  const insert = sql.prepare(
    `INSERT INTO proxy_user (account_id, ${columns}) VALUES (?, ?, ${placeholders(VALUE_COLUMNS.length)})`,
  );
  const update = sql.prepare(`UPDATE proxy_user SET ${assignments(VALUE_COLUMNS)} WHERE rowid = ?`);
  // Unchanged columns cost as much as changed ones. Each of these statements also writes the packed values.
  const quotaUpdate = (types: readonly MeteredType[]) => {
    const names = ['expired_values', 'unsettled_usage', ...types.flatMap((type) => QUOTA_COLUMNS[type])];
    return { types, statement: sql.prepare(`UPDATE proxy_user SET ${assignments(names)} WHERE rowid = ?`) };
  };
  const updateByType = { residential: quotaUpdate(['residential']), mobile: quotaUpdate(['mobile']) };
  const updateQuotas = quotaUpdate(METERED_TYPES);
  const updateOf = ([type, ...others]: readonly MeteredType[]) =>
    type === undefined || others.length > 0 ? updateQuotas : updateByType[type];

  const rowsOf = (accountId: number, users: readonly UserObservation[]): Map<string, FoundRow> => {
    const ids: (string | null)[] = users.map(({ id }) => id);
    while (ids.length < FOUND_AT_ONCE) ids.push(null);
    const rows = new Map<string, FoundRow>();
    for (const row of find.all(accountId, ...ids)) rows.set(row.id, row);
    return rows;
  };

  const saveUser = (
    accountId: number,
    user: UserObservation,
    row: FoundRow | undefined,
    context: ObservationContext,
    growth: UsageGrowth,
  ): boolean => {
    const expiredValues = row
      ? missingSinceAfter(row, user.quotas, context.startedAt, context.listing)
      : null;
    const isSame = row !== undefined && isUnchanged(row, user, expiredValues);
    const { rowid, isSettled } = isSame
      ? { rowid: row.rowid, isSettled: true }
      : saveQuotas(accountId, user, row, expiredValues, context, growth);
    details.save(rowid, user.details, row?.details ?? null);
    return isSettled && expiredValues === null;
  };

  const saveQuotas = (
    accountId: number,
    user: UserObservation,
    row: FoundRow | undefined,
    expiredValues: string | null,
    context: ObservationContext,
    growth: UsageGrowth,
  ): { readonly rowid: number | bigint; readonly isSettled: boolean } => {
    const observed = applyObservation(row, user, context);
    for (const type of METERED_TYPES) growth[type] += observed.growth[type];
    const isSettled = !hasPendingChange(observed.unsettledUsage);
    if (!row) return { rowid: insertRow(accountId, observed), isSettled };
    recordMissingUse(accountId, row, user, context);
    updateRow(row, user, observed, expiredValues);
    return { rowid: row.rowid, isSettled };
  };

  const insertRow = (accountId: number, { user, unsettledUsage }: ObservedUser): number | bigint =>
    insert.run(
      accountId,
      user.id,
      ...toValues(user, { expired_values: null, unsettled_usage: unsettledUsage }),
    ).lastInsertRowid;

  const updateRow = (
    row: FoundRow,
    given: UserObservation,
    { user, unsettledUsage, changedTypes }: ObservedUser,
    expiredValues: string | null,
  ): void => {
    if (!isSettingUnchanged(row, given)) {
      const packed = { expired_values: expiredValues, unsettled_usage: unsettledUsage };
      update.run(...toValues(user, packed), row.rowid);
      return;
    }
    const { types, statement } = updateOf(changedTypes);
    const values: unknown[] = [expiredValues, unsettledUsage];
    for (const type of types) addQuotaValues(values, user.quotas[type]);
    values.push(row.rowid);
    statement.run(values);
  };

  return {
    /**
     * Stores the users that changed, and adds their use since their last observations to `growth`. Of users with the same
     * id, the last one counts. Returns the ids of settled users. Must run inside a transaction.
     */
    save: (
      accountId: number,
      users: readonly UserObservation[],
      context: ObservationContext,
      growth: UsageGrowth,
    ): Set<string> => {
      const settled = new Set<string>();
      const byId = new Map<string, UserObservation>();
      for (const user of users) byId.set(user.id, user);
      const distinct = [...byId.values()];
      for (let start = 0; start < distinct.length; start += FOUND_AT_ONCE) {
        const chunk = distinct.slice(start, start + FOUND_AT_ONCE);
        const rows = rowsOf(accountId, chunk);
        for (const user of chunk)
          if (saveUser(accountId, user, rows.get(user.id), context, growth)) settled.add(user.id);
      }
      return settled;
    },
  };
};

const placeholders = (count: number): string => new Array(count).fill('?').join(', ');

const assignments = (columns: readonly string[]): string => columns.map((name) => `${name} = ?`).join(', ');

export const createUserDetails = ({ sql, prepareValue }: Database) => {
  const put = sql.prepare('INSERT OR REPLACE INTO proxy_user_details VALUES (?, ?)');
  // A subquery is used instead of a join, because SQLite plans a join again at each bind, which takes 20 times as long.
  const find = prepareValue<[number, string], string>(`SELECT details FROM proxy_user_details
       WHERE user = (SELECT rowid FROM proxy_user WHERE account_id = ? AND id = ?)`);
  return {
    /** Stores the details in this row of `proxy_user` if they differ from the packed ones. Must run inside a transaction. */
    save: (rowid: number | bigint, details: UserDetails, stored: string | null): void => {
      const packed = pack(details);
      if (packed !== stored) put.run(rowid, packed);
    },
    of: (accountId: number, ids: readonly string[]): Map<string, UserDetails> =>
      new Map(
        ids.flatMap((id): [string, UserDetails][] => {
          const packed = find.get(accountId, id);
          return packed === undefined ? [] : [[id, unpack(packed)]];
        }),
      ),
  };
};

type Packed = [
  ...[string | null, string | null, number | null, number | null, number | null, number | null],
  UserDetails['metadata']?,
];

/** Reading and comparing one text takes a third of the time that six columns take. */
const pack = (details: UserDetails): string => {
  const { createdAt, updatedAt, addressLimit, addresses, restrictedProxies, restrictedServices } = details;
  const packed: Packed = [
    createdAt,
    updatedAt,
    addressLimit,
    addresses,
    restrictedProxies,
    restrictedServices,
  ];
  if (details.metadata) packed.push(details.metadata);
  return JSON.stringify(packed);
};

const unpack = (text: string): UserDetails => {
  const packed: Packed = JSON.parse(text);
  const [createdAt, updatedAt, addressLimit, addresses, restrictedProxies, restrictedServices, metadata] =
    packed;
  const details = { createdAt, updatedAt, addressLimit, addresses, restrictedProxies, restrictedServices };
  return metadata ? { ...details, metadata } : details;
};
