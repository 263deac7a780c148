// Deletes what is long gone: users whom the provider lists no more, graphs and accounts that are configured no more.

import type { KeptAccount, Retention } from '../../maintenance.ts';
import type { Database } from '../file/database.ts';
import { SLICE_ROWS, type Slice } from '../slices.ts';

/** A new name for what is to be deleted, which no configured account can have. */
const RETIRED = 'gone/';
/** Takes in retired graphs of accounts that stay. */
const RETIRED_GRAPHS = `${RETIRED}graphs`;
/** Of an account: a provider that made up new users all the time would fill the disk. */
const MAX_GONE_USERS = 100_000;

export interface Gone {
  userSlices(account: KeptAccount, retention: Retention, now: number): Slice[];
  /** Takes graphs and accounts out of use, at once and whole, so that one who comes back starts anew. */
  retire(accounts: readonly KeptAccount[], oldest: number): void;
  /** Deletes what was retired, now or before a crash. */
  retiredSlices(): Slice[];
}

export const createGone = (db: Database): Gone => {
  const { sql } = db;
  const deleteGone = sql.prepare<[number, number]>(
    `DELETE FROM proxy_user WHERE account_id = ? AND gone_since < ? ORDER BY gone_since LIMIT ${SLICE_ROWS}`,
  );
  const countGone = sql
    .prepare<[number, number], number>(
      'SELECT count(*) FROM proxy_user WHERE account_id = ? AND gone_since < ?',
    )
    .pluck();
  const deleteOldest = sql.prepare<[number, number]>(
    'DELETE FROM proxy_user WHERE account_id = ? AND gone_since IS NOT NULL ORDER BY gone_since LIMIT ?',
  );
  const forgetListing = sql.prepare<[number, number]>(
    `DELETE FROM listing WHERE account_id = ? AND collector = 'proxy_users' AND stored_at < ?`,
  );
  const deleteUnlisted = sql.prepare<{ accountId: number }>(
    `DELETE FROM proxy_user WHERE account_id = @accountId
       AND NOT EXISTS (SELECT 1 FROM listing WHERE account_id = @accountId AND collector = 'proxy_users') LIMIT ${SLICE_ROWS}`,
  );
  const retireAccounts = sql
    .prepare<[string, number], string>(
      `UPDATE account SET name = '${RETIRED}' || id
       WHERE name NOT LIKE '${RETIRED}%' AND name NOT IN (SELECT value FROM json_each(?)) AND ? > max(
         coalesce((SELECT max(finished_at) FROM run WHERE account_id = account.id), 0),
         coalesce((SELECT max(stored_at) FROM listing WHERE account_id = account.id), 0),
         coalesce((SELECT max(read_at) FROM graph WHERE account_id = account.id), 0))
       RETURNING name`,
    )
    .pluck();
  const oldGraphs = sql
    .prepare<[number, string, number], number>(
      `SELECT id FROM graph WHERE account_id = ? AND name NOT IN (SELECT value FROM json_each(?))
         AND coalesce(read_at, 0) < ?`,
    )
    .pluck();
  const retireGraph = sql.prepare<[number, number]>(
    `UPDATE graph SET account_id = ?, name = id WHERE id = ?`,
  );
  const deleteCounters = sql.prepare<{ accountId: number }>(
    `DELETE FROM counter WHERE owner GLOB 'ledger/' || cast(@accountId AS INTEGER) || '/*'
       OR owner = 'inventory/' || cast(@accountId AS INTEGER)
       OR owner IN (SELECT 'graph/' || id FROM graph WHERE account_id = @accountId)`,
  );
  const retired = sql.prepare<[], number>(`SELECT id FROM account WHERE name LIKE '${RETIRED}%'`).pluck();

  const retireGraphs = ({ name, graphs }: KeptAccount, oldest: number): void => {
    for (const id of oldGraphs.all(db.knownAccountId(name), JSON.stringify(graphs), oldest)) {
      retireGraph.run(retiredGraphs(), id);
    }
  };

  const retiredGraphs = (): number => {
    sql.prepare('INSERT INTO account (name) VALUES (?) ON CONFLICT DO NOTHING').run(RETIRED_GRAPHS);
    return db.knownAccountId(RETIRED_GRAPHS);
  };

  /** Tables whose rows refer to an account, or to a graph, in the order in which they may be deleted. */
  const tablesWith = (column: string): string[] =>
    sql
      .prepare<[string], string>(
        `SELECT made.name FROM sqlite_schema AS made JOIN pragma_table_info(made.name) AS field
         WHERE made.type = 'table' AND field.name = ? ORDER BY made.name`,
      )
      .pluck()
      .all(column);

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
    userSlices: ({ name, hasUsers }, { rawMs, dailyMs }, now) => {
      const accountId = db.knownAccountId(name);
      // Those gone for a short time stay, however many: a provider that lists nobody for once gets them all back.
      const surplus = (): number =>
        Math.max(0, (countGone.get(accountId, now - rawMs) ?? 0) - MAX_GONE_USERS);
      const known = [
        () => deleteGone.run(accountId, now - dailyMs).changes,
        () => deleteOldest.run(accountId, Math.min(SLICE_ROWS, surplus())).changes,
      ];
      if (hasUsers) return known;
      // The baseline goes first: users who were still there would count whole if they were polled again.
      return [
        () => forgetListing.run(accountId, now - dailyMs).changes,
        () => deleteUnlisted.run({ accountId }).changes,
      ];
    },
    retire: (accounts, oldest) => {
      const names = JSON.stringify(accounts.map(({ name }) => name));
      if (retireAccounts.all(names, oldest).length > 0) db.forgetAccounts();
      for (const account of accounts) retireGraphs(account, oldest);
      // Counters go by numbers of accounts and graphs, which may be given again.
      for (const accountId of retired.all()) deleteCounters.run({ accountId });
    },
    retiredSlices: () => retired.all().flatMap(deletionsOf),
  };
};
