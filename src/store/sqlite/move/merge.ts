// Takes an account, which another store moved out, into a store.

import type SQLite from 'better-sqlite3';
import { StoreError } from '../../errors.ts';
import { type CopyOptions, copyAndCheck, isSameFile, removeFiles } from '../file/backup.ts';
import { createDatabase } from '../file/database.ts';
import { createEpochs } from '../file/epoch.ts';
import { lockFile, openAnyVersion, openFile } from '../file/open.ts';
import { copyAccount, storedNames } from './copy-account.ts';
import { TABLES_BY_NAME } from './moved-tables.ts';
import { moveIn } from './moves.ts';

export interface MergeOptions extends CopyOptions {
  readonly firstStepHoldMs: number;
  /** Current time (ms). */
  readonly now: number;
}

export interface Merged {
  readonly account: string;
  /** Whether an earlier merge of the same file took the account in, so that nothing was to be done. */
  readonly wasThere: boolean;
}

/**
 * Takes the account in `file` into the store at `path`, in one transaction. Creates the store if there is none. Throws
 * StoreError while a daemon uses the store, or if the account is there.
 */
export const merge = async (
  path: string,
  file: string,
  { now, firstStepHoldMs, ...options }: MergeOptions,
): Promise<Merged> => {
  if (isSameFile(path, file))
    throw new StoreError('failed', `${file}: this is the store itself. Give the file of a moved account`);
  openAnyVersion(file).close();
  using stack = new DisposableStack();
  stack.adopt(lockFile(path), (lock) => lock.close());
  // The copy is upgraded to the schema of this version. The file stays as it is.
  const copy = `${path}.merging`;
  removeFiles(copy);
  stack.defer(() => removeFiles(copy));
  await copyAndCheck(file, copy, options);
  openFile(copy).close();
  const sql = stack.adopt(openFile(path), (connection) => connection.close());
  sql.prepare('ATTACH ? AS source').run(copy);
  const db = createDatabase(sql, firstStepHoldMs, () => {});
  // An older file that was put back begins its new epoch first, so that the counters of the account do not fall.
  createEpochs(db).open(now);
  return db.write(() => mergeAttached(sql, path, file));
};

const mergeAttached = (sql: SQLite.Database, path: string, file: string): Merged => {
  const { account, moveId } = moveIn(sql, file);
  const state = stateAt(sql, account, moveId);
  if (state === 'taken in') return { account, wasThere: true };
  if (state === 'running')
    throw new StoreError(
      'failed',
      `${path}: the account "${account}" is in this store already, so proxywatch does not merge ${file}. The store is unchanged. Check that the configuration names the store that is to take the account in`,
    );
  if (state === 'moved on')
    throw new StoreError(
      'failed',
      `${file}: this file is older than the last move of the account "${account}" out of ${path}. Merge the file of the newest move`,
    );
  removeRows(sql, account);
  copyAccount(sql, account);
  sql.prepare('UPDATE account_move SET is_out = 0 WHERE account = ?').run(account);
  return { account, wasThere: false };
};

type AccountState = 'absent' | 'taken in' | 'running' | 'moved on';

/** A store that moved the account out takes it back only with rows that went through this move. */
const stateAt = (sql: SQLite.Database, account: string, moveId: string): AccountState => {
  const ownMoves = sql
    .prepare<[string], { moveId: string; isOut: number }>(
      'SELECT move_id AS moveId, is_out AS isOut FROM main.account_move WHERE account = ?',
    )
    .all(account);
  const out = ownMoves.find(({ isOut }) => isOut === 1);
  if (out) {
    const known = sql.prepare('SELECT 1 FROM source.account_move WHERE account = ? AND move_id = ?');
    return known.get(account, out.moveId) ? 'absent' : 'moved on';
  }
  if (ownMoves.some((own) => own.moveId === moveId)) return 'taken in';
  const rows = sql.prepare('SELECT 1 FROM main.account WHERE name IN (?, ?)');
  return rows.get(...storedNames(account)) ? 'running' : 'absent';
};

/** Removes the rows that the account left when it was moved out. Maintenance deletes accounts of such names in slices. */
const removeRows = (sql: SQLite.Database, account: string): void => {
  sql
    .prepare(`UPDATE main.account SET name = 'deleted/' || id WHERE name IN (?, ?)`)
    .run(...storedNames(account));
  for (const table of TABLES_BY_NAME)
    sql.prepare(`DELETE FROM main.${table} WHERE account IN (?, ?)`).run(...storedNames(account));
};
