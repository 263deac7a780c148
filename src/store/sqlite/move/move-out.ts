// Takes an account out of a store: marks it as moved out, then writes a file with its rows. A run after a crash repeats
// both under the same move.

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { StoreError } from '../../errors.ts';
import { isSameFile, replaceFile, requireFolder } from '../file/backup.ts';
import { createDatabase, type Database } from '../file/database.ts';
import { createEpochs } from '../file/epoch.ts';
import { lockFile, openFile, openFileReadOnly } from '../file/open.ts';
import { copyAccount, storedNames } from './copy-account.ts';

export interface MoveOutOptions {
  readonly account: string;
  readonly overwrite: boolean;
  readonly firstStepHoldMs: number;
  /** Current time (ms). */
  readonly now: number;
}

/**
 * Writes the account's rows to `file`. From then on no daemon runs the account on the store at `path`. Throws StoreError
 * while a daemon uses the store. Until the account is marked, a failure leaves the store as it was.
 */
export const moveOut = async (
  path: string,
  file: string,
  { account, overwrite, firstStepHoldMs, now }: MoveOutOptions,
): Promise<void> => {
  rejectFile(path, file, overwrite);
  // Only the daemon creates a store or upgrades it.
  openFileReadOnly(path).close();
  using stack = new DisposableStack();
  stack.adopt(lockFile(path), (lock) => lock.close());
  const sql = stack.adopt(openFile(path), (connection) => connection.close());
  const db = createDatabase(sql, firstStepHoldMs, () => {});
  requireAccount(db, path, account);
  // If the file is an older one that was put back, the account's counters begin their new epoch here.
  createEpochs(db).open(now);
  markMovedOut(db, account, now);
  await replaceFile(file, '.partial', async (partial) => writeMoveFile(partial, path, account));
};

const rejectFile = (path: string, file: string, overwrite: boolean): void => {
  if (isSameFile(path, file))
    throw new StoreError('failed', `${file}: this is the store itself. Give another file name`);
  if (existsSync(file) && !overwrite)
    throw new StoreError(
      'failed',
      `${file}: this file exists already. Give another file name, or replace the file with --overwrite`,
    );
  requireFolder(file);
};

const requireAccount = ({ sql }: Database, path: string, account: string): void => {
  if (sql.prepare('SELECT 1 FROM account WHERE name IN (?, ?)').get(...storedNames(account))) return;
  throw new StoreError(
    'failed',
    `${path}: this store has no account "${account}". Check the name, and the configuration that names the store`,
  );
};

/** Does nothing if the account is marked already. */
const markMovedOut = (db: Database, account: string, now: number): void => {
  const mark = db.sql.prepare('INSERT OR IGNORE INTO account_move VALUES (?, ?, ?, 1)');
  const find = db.sql.prepare('SELECT 1 FROM account_move WHERE account = ? AND is_out');
  db.write(() => {
    if (!find.get(account)) mark.run(account, randomBytes(16).toString('hex'), now);
  });
};

const writeMoveFile = (partial: string, path: string, account: string): void => {
  const sql = openFile(partial);
  try {
    sql.prepare('ATTACH ? AS source').run(path);
    const db = createDatabase(sql, 0, () => {});
    db.write(() => copyAccount(sql, account));
    sql.exec('DETACH source');
    // The file is then complete without a WAL beside it.
    sql.pragma('journal_mode = DELETE');
  } finally {
    sql.close();
  }
};
