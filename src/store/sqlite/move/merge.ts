// Takes an account, which another store moved out, into a store.

import type SQLite from 'better-sqlite3';
import { StoreError } from '../../errors.ts';
import { type FileMove, moveIn } from '../accounts/accounts.ts';
import { type CopyOptions, copyBackup, isSameFile, openBackup, removeFiles } from '../file/backup.ts';
import { createDatabase } from '../file/database.ts';
import { createEpochs } from '../file/epoch.ts';
import { lockFile } from '../file/lock.ts';
import { openFile } from '../file/open.ts';
import { BY_NAME } from '../table.ts';
import { TABLES } from '../tables.ts';
import { copyAccount, storedNames } from './copy-account.ts';

interface MergeOptions extends CopyOptions {
  readonly firstStepHoldMs: number;
  /** Current time (ms). */
  readonly now: number;
}

export interface Merged {
  readonly account: string;
  /** Whether an earlier merge of the same file took the account in, so that nothing was to be done. */
  readonly wasThere: boolean;
  /** Whether the counters of the account begin a new epoch. */
  readonly isNewEpoch: boolean;
}

const REMEDY =
  'Copy the file again, or run "proxywatch store backup --account" again at the old store, which still has the account';

/**
 * Takes the account in `file` into the store at `path`, in one transaction. Creates the store if there is none. Throws
 * StoreError while a daemon uses the store, or if the account is there.
 */
export const merge = async (path: string, file: string, options: MergeOptions): Promise<Merged> => {
  const { now, firstStepHoldMs } = options;
  if (isSameFile(path, file))
    throw new StoreError('failed', `${file}: this is the store itself. Give the file of a moved account`);
  openBackup({ file, remedy: REMEDY }).close();
  using _lock = lockFile(path);
  using stack = new DisposableStack();
  // The copy is upgraded to the schema of this version. The file stays as it is.
  const copy = `${path}.merging`;
  removeFiles(copy);
  stack.defer(() => removeFiles(copy));
  await copyBackup({ file, remedy: REMEDY }, copy, options);
  using source = openFile(copy);
  const move = moveIn(source, file);
  using sql = openFile(path);
  const db = createDatabase(sql, firstStepHoldMs);
  // An older file that was put back begins its new epoch first, so that the counters of the account do not fall.
  createEpochs(db).open(now);
  const isNewEpoch = wasRestoredSince(sql, move);
  if (isNewEpoch) createEpochs(createDatabase(source, firstStepHoldMs)).restart(now);
  sql.prepare('ATTACH ? AS source').run(copy);
  return db.write(() => mergeAttached(sql, move, { path, file, isNewEpoch }));
};

/** Whether an older file was put back after the account was moved out: the replaced one may have had higher counters. */
const wasRestoredSince = (sql: SQLite.Database, { at }: FileMove): boolean =>
  sql.prepare('SELECT 1 FROM missing_period WHERE ended_at > ?').get(at) !== undefined;

const mergeAttached = (
  sql: SQLite.Database,
  move: FileMove,
  { path, file, isNewEpoch }: { path: string; file: string; isNewEpoch: boolean },
): Merged => {
  const { account } = move;
  const state = stateAt(sql, move);
  if (state === 'taken in') return { account, wasThere: true, isNewEpoch: false };
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
  return { account, wasThere: false, isNewEpoch };
};

type AccountState = 'absent' | 'taken in' | 'running' | 'moved on';

interface OwnMove extends Omit<FileMove, 'account'> {
  readonly isOut: number;
}

/** A store that moved the account out takes it back only with rows of this move, or of a later one from another store. */
const stateAt = (sql: SQLite.Database, { account, moveId, at }: FileMove): AccountState => {
  const ownMoves = sql
    .prepare<[string], OwnMove>(
      'SELECT move_id AS moveId, at, is_out AS isOut FROM main.account_move WHERE account = ?',
    )
    .all(account);
  const out = ownMoves.find(({ isOut }) => isOut === 1);
  if (out) {
    const known = sql.prepare('SELECT 1 FROM source.account_move WHERE account = ? AND move_id = ?');
    return at > out.at || known.get(account, out.moveId) ? 'absent' : 'moved on';
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
  for (const [table, { move }] of TABLES) {
    if (typeof move === 'string' || move.where !== BY_NAME) continue;
    sql.prepare(`DELETE FROM main.${table} WHERE account IN (?, ?)`).run(...storedNames(account));
  }
};
