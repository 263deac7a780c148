// Takes an account out of a store: writes a file with its rows, and marks it as moved out before the file gets its name.
// A run after a crash or a lost file repeats this under the same move.

import { randomBytes } from 'node:crypto';
import type SQLite from 'better-sqlite3';
import { StoreError, withMessage } from '../../errors.ts';
import type { FileMove } from '../accounts/accounts.ts';
import { checkCopy, rejectFile, replaceFile } from '../file/backup.ts';
import { createDatabase, type Database } from '../file/database.ts';
import { createEpochs } from '../file/epoch.ts';
import { asStoreError } from '../file/errors.ts';
import { lockFile } from '../file/lock.ts';
import { openFile, openFileReadOnly } from '../file/open.ts';
import { copyAccount, storedNames } from './copy-account.ts';

interface MoveOutOptions {
  readonly account: string;
  readonly overwrite: boolean;
  readonly firstStepHoldMs: number;
  /** Current time (ms). */
  readonly now: number;
  readonly signal: AbortSignal;
}

/**
 * Writes the account's rows to `file`. From then on no daemon runs the account on the store at `path`. Throws StoreError
 * while a daemon uses the store. The message says whether the account is marked already.
 */
export const moveOut = async (
  path: string,
  file: string,
  { account, overwrite, firstStepHoldMs, now, signal }: MoveOutOptions,
): Promise<void> => {
  rejectFile(path, file, overwrite);
  // Only the daemon creates a store or upgrades it.
  openFileReadOnly(path).close();
  using _lock = lockFile(path);
  using sql = openFile(path);
  const db = createDatabase(sql, firstStepHoldMs);
  requireAccount(db, path, account);
  // If the file is an older one that was put back, the account's counters begin their new epoch here.
  createEpochs(db).open(now);
  const mark = markOf(db, account, now);
  try {
    await replaceFile(file, '.partial', async (partial) => {
      writeMoveFile(partial, mark, { path, file });
      await checkCopy(path, partial, signal);
      db.write(() => putMark(sql, mark));
    });
  } catch (error) {
    throw withState(error, path, account, findMark(db, account) !== undefined);
  }
};

/** Adds to the error where the account is now. */
const withState = (error: unknown, path: string, account: string, isOut: boolean): unknown => {
  if (!(error instanceof StoreError)) return error;
  const state = isOut
    ? `The account "${account}" is marked as moved out of ${path}, so no daemon runs it there. Run the command again to get the file`
    : 'The account is not moved';
  return new StoreError(error.kind, `${error.message}. ${state}`, { cause: error });
};

const requireAccount = ({ sql }: Database, path: string, account: string): void => {
  if (sql.get('SELECT 1 FROM account WHERE name IN (?, ?)', ...storedNames(account))) return;
  throw new StoreError(
    'failed',
    `${path}: this store has no account "${account}". Check the name, and the configuration that names the store`,
  );
};

const findMark = ({ sql }: Database, account: string): FileMove | undefined =>
  sql.get('SELECT account, move_id AS moveId, at FROM account_move WHERE account = ? AND is_out', account);

/** Returns the mark that the account has already, or a new one. */
const markOf = (db: Database, account: string, now: number): FileMove =>
  findMark(db, account) ?? { account, moveId: randomBytes(16).toString('hex'), at: now };

const putMark = (sql: SQLite.Database, mark: FileMove): void => {
  sql.prepare('INSERT OR IGNORE INTO main.account_move VALUES (@account, @moveId, @at, 1)').run(mark);
};

const writeMoveFile = (
  partial: string,
  mark: FileMove,
  { path, file }: { path: string; file: string },
): void => {
  try {
    using sql = openFile(partial);
    sql.prepare('ATTACH ? AS source').run(path);
    const db = createDatabase(sql, 0);
    db.write(() => {
      copyAccount(sql, mark.account);
      putMark(sql, mark);
    });
    sql.exec('DETACH source');
    // The file is then complete without a WAL beside it.
    sql.pragma('journal_mode = DELETE');
  } catch (error) {
    const failure = asStoreError(error, partial);
    if (!(failure instanceof StoreError)) throw failure;
    // Rows that cannot be read are those of the store, and the partial file means nothing to an operator.
    throw withMessage(failure, {
      damaged: failure.message.replace(partial, path),
      unwritable: failure.message.replace(partial, file).replace('the store', 'the file'),
    });
  }
};
