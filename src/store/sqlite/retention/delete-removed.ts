// Deletes users that were removed long ago, and graphs and accounts that have long not been configured.

import type { RetainedAccount, Retention } from '../../store.ts';
import type { Database } from '../file/database.ts';
import { SLICE_ROWS, type Slice } from '../slices.ts';

/** Renamed accounts that are to be deleted begin with this. No configured account can have such a name. */
const DELETED_PREFIX = 'deleted/';
/** The account to which graphs are moved that are to be deleted while their own account stays. */
const DELETED_GRAPHS_ACCOUNT = `${DELETED_PREFIX}graphs`;
/** Limit per account: a provider that lists new users all the time would fill the disk. */
const MAX_REMOVED_USERS = 100_000;
const DELETE_LISTING = `DELETE FROM listing WHERE account_id = ? AND collector = 'proxy_users' AND stored_at < ?`;

export const createRemovedData = (db: Database) => {
  const { sql, prepareValue } = db;
  const deleteOldRemovedUsers = sql.prepare<[number, number]>(
    `DELETE FROM proxy_user WHERE account_id = ? AND removed_since < ? ORDER BY removed_since LIMIT ${SLICE_ROWS}`,
  );
  const countRemovedUsers = prepareValue<[number, number], number>(
    'SELECT count(*) FROM proxy_user WHERE account_id = ? AND removed_since < ?',
  );
  const deleteOldestRemovedUsers = sql.prepare<[number, number]>(
    'DELETE FROM proxy_user WHERE account_id = ? AND removed_since IS NOT NULL ORDER BY removed_since LIMIT ?',
  );
  const deleteUsersWithoutListing = sql.prepare<{ accountId: number }>(
    `DELETE FROM proxy_user WHERE account_id = @accountId
       AND NOT EXISTS (SELECT 1 FROM listing WHERE account_id = @accountId AND collector = 'proxy_users') LIMIT ${SLICE_ROWS}`,
  );
  const markAccountsDeleted = sql.prepare<[string, number]>(
    `UPDATE account SET name = '${DELETED_PREFIX}' || id
     WHERE name NOT LIKE '${DELETED_PREFIX}%' AND name NOT IN (SELECT value FROM json_each(?)) AND ? > max(
       coalesce((SELECT max(finished_at) FROM run WHERE account_id = account.id), 0),
       coalesce((SELECT max(stored_at) FROM listing WHERE account_id = account.id), 0),
       coalesce((SELECT max(read_at) FROM graph WHERE account_id = account.id), 0))`,
  );
  const unusedGraphs = prepareValue<[number, string, number], number>(
    `SELECT id FROM graph WHERE account_id = ? AND name NOT IN (SELECT value FROM json_each(?))
       AND coalesce(read_at, 0) < ?`,
  );
  const deleteCounters = sql.prepare<{ accountId: number }>(
    `DELETE FROM counter WHERE owner GLOB 'ledger/' || cast(@accountId AS INTEGER) || '/*'
       OR owner GLOB 'mobile_ledger/' || cast(@accountId AS INTEGER) || '/*'
       OR owner = 'inventory/' || cast(@accountId AS INTEGER)
       OR owner = 'adjustments/' || cast(@accountId AS INTEGER)
       OR owner GLOB 'usage/' || cast(@accountId AS INTEGER) || '/*'
       OR owner GLOB 'request_log/' || cast(@accountId AS INTEGER) || '/*'
       OR owner GLOB 'proxy_tests/' || cast(@accountId AS INTEGER) || '/*'
       OR owner IN (SELECT 'graph/' || id FROM graph WHERE account_id = @accountId)`,
  );
  const deletedAccounts = prepareValue<[], number>(
    `SELECT id FROM account WHERE name LIKE '${DELETED_PREFIX}%'`,
  );

  const markGraphsDeleted = ({ name, graphs }: RetainedAccount, oldest: number): void => {
    for (const id of unusedGraphs.all(db.knownAccountId(name), JSON.stringify(graphs), oldest)) {
      sql.run('UPDATE graph SET account_id = ?, name = id WHERE id = ?', deletedGraphsAccountId(), id);
    }
  };

  const deletedGraphsAccountId = (): number => {
    sql.run('INSERT INTO account (name) VALUES (?) ON CONFLICT DO NOTHING', DELETED_GRAPHS_ACCOUNT);
    return db.knownAccountId(DELETED_GRAPHS_ACCOUNT);
  };

  /** Returns the tables that have the column, by name, which is an order in which their rows may be deleted. */
  const tablesWith = (column: string): string[] =>
    prepareValue<[string], string>(
      `SELECT made.name FROM sqlite_schema AS made JOIN pragma_table_info(made.name) AS field
       WHERE made.type = 'table' AND field.name = ? ORDER BY made.name`,
    ).all(column);

  const deletionsOf = (accountId: number): Slice[] => {
    const ofGraphs = tablesWith('graph_id').map((table) =>
      sql.prepare<[number]>(
        `DELETE FROM ${table} WHERE graph_id IN (SELECT id FROM graph WHERE account_id = ?) LIMIT ${SLICE_ROWS}`,
      ),
    );
    const ofAccount = tablesWith('account_id').map((table) =>
      sql.prepare<[number]>(`DELETE FROM ${table} WHERE account_id = ? LIMIT ${SLICE_ROWS}`),
    );
    return [...ofGraphs, ...ofAccount, sql.prepare<[number]>('DELETE FROM account WHERE id = ?')].map(
      (statement) => () => statement.run(accountId).changes,
    );
  };

  return {
    userSlices: (
      { name, areUsersPolled }: RetainedAccount,
      { rawMs, dailyMs }: Retention,
      now: number,
    ): Slice[] => {
      const accountId = db.knownAccountId(name);
      // Users that were removed recently stay, however many: after one empty listing they may all come back.
      const surplus = (): number =>
        Math.max(0, (countRemovedUsers.get(accountId, now - rawMs) ?? 0) - MAX_REMOVED_USERS);
      if (areUsersPolled)
        return [
          () => deleteOldRemovedUsers.run(accountId, now - dailyMs).changes,
          () => deleteOldestRemovedUsers.run(accountId, Math.min(SLICE_ROWS, surplus())).changes,
        ];
      // The baseline is deleted first. Otherwise users that still exist would count whole if they were polled again.
      return [
        () => sql.run(DELETE_LISTING, accountId, now - dailyMs),
        () => deleteUsersWithoutListing.run({ accountId }).changes,
      ];
    },
    /** Marks graphs and accounts as deleted in one step, so that one that is configured again starts from nothing. */
    markDeleted: (accounts: readonly RetainedAccount[], oldest: number): void => {
      const names = JSON.stringify(accounts.map(({ name }) => name));
      if (markAccountsDeleted.run(names, oldest).changes > 0) db.clearAccountIds();
      for (const account of accounts) markGraphsDeleted(account, oldest);
      // Counters are named by numbers of accounts and graphs, which may be reused.
      for (const accountId of deletedAccounts.all()) deleteCounters.run({ accountId });
    },
    /** Returns slices that delete what was marked, now or before a crash. */
    deletionSlices: (): Slice[] => deletedAccounts.all().flatMap(deletionsOf),
  };
};
