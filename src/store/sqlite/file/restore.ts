// Restores a backup: checks and migrates a copy, keeps the current store under another name, and replaces it.

import { COPYFILE_EXCL, COPYFILE_FICLONE } from 'node:constants';
import { chmodSync, copyFileSync, existsSync, rmSync } from 'node:fs';
import SQLite from 'better-sqlite3';
import { StoreError } from '../../errors.ts';
import { type FileMove, isMoveFile } from '../accounts/accounts.ts';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { type CopyOptions, copyBackup, copyOwner, isSameFile, openBackup, replaceFile } from './backup.ts';
import { createDatabase } from './database.ts';
import { createEpochs } from './epoch.ts';
import { aboutFile } from './errors.ts';
import { lockFile } from './lock.ts';
import { KEPT_STORE, OWNER_ONLY_FILE } from './modes.ts';
import { checkpointLog, inspectFile, isNoDatabase, openFile, openFileReadOnly, versionOf } from './open.ts';
import { realPathOf } from './real-path.ts';

const REMEDY = 'Restore another backup';

interface RestoreOptions extends CopyOptions {
  /** Current time (ms), part of the name under which the current store is kept. */
  readonly now: number;
}

/**
 * Replaces the store at `storePath` with the backup in `file`; the next opening begins a new epoch. Returns the path under
 * which the current store is kept, or null if there was none. Throws StoreError, and leaves the store as it was, while
 * a daemon runs, or if the backup is not a valid store of this version or an older one.
 */
export const restore = async (
  storePath: string,
  file: string,
  { now, ...options }: RestoreOptions,
): Promise<string | null> => {
  // A link to the store stays a link.
  const path = realPathOf(storePath);
  if (isSameFile(path, file))
    throw new StoreError('failed', `${file}: this is the store itself. Give the file of a backup`);
  inspectBackup(file);
  rejectForeignFile(path);
  using _lock = lockFile(path);
  let keptPath: string | null = null;
  await replaceFile(path, '.restoring', async (copy) => {
    await copyBackup({ file, remedy: REMEDY }, copy, options);
    markRestored(copy, now);
    keepMoves(path, copy);
    keptPath = keepCurrentStore(path, now);
  });
  return keptPath;
};

const inspectBackup = (file: string): void => {
  using sql = openBackup({ file, remedy: REMEDY });
  if (versionOf(sql) === MIGRATIONS.length && isMoveFile(sql))
    throw new StoreError(
      'failed',
      `${file}: this file holds one account that was moved out of its store. Add --merge to take the account in`,
    );
};

/**
 * A backup may replace a damaged or newer store, but no database of another program. A file that is no database at all
 * may be a store whose first bytes are damaged, and no file is lost, because the current one is kept.
 */
const rejectForeignFile = (path: string): void => {
  try {
    inspectFile(path);
  } catch (error) {
    if (!(error instanceof StoreError) || error.kind === 'locked') throw error;
    if (error.kind !== 'foreign' || isNoDatabase(error)) return;
    const message = `${path}: the present file at store.path is not a store of proxywatch, so proxywatch does not replace it. Correct store.path, or move this file away`;
    throw new StoreError('foreign', message, { cause: error });
  }
};

/** Migrates the copy and makes its next opening begin a new epoch. */
const markRestored = (path: string, now: number): void => {
  using sql = openFile(path);
  createEpochs(createDatabase(sql, 0)).markRestored(now);
};

/**
 * An account that was moved out after the backup must not run on the restored store: another store runs it. Nothing is
 * known of moves if the current store cannot be read.
 */
const keepMoves = (path: string, copy: string): void => {
  const moves = readMoves(path);
  if (moves.length === 0) return;
  using sql = openFile(copy);
  const put = sql.prepare('INSERT OR REPLACE INTO account_move VALUES (@account, @moveId, @at, @isOut)');
  const taken = sql.prepare<[string]>('UPDATE account_move SET is_out = 0 WHERE account = ?');
  sql.transaction(() => {
    for (const { account } of moves) taken.run(account);
    for (const move of moves) put.run(move);
  })();
};

interface Move extends FileMove {
  readonly isOut: number;
}

const readMoves = (path: string): Move[] => {
  try {
    using sql = openFileReadOnly(path);
    return sql
      .prepare<[], Move>(
        `SELECT account, move_id AS moveId, at, is_out AS isOut FROM account_move
         WHERE account IN (SELECT account FROM account_move WHERE is_out)`,
      )
      .all();
  } catch (error) {
    if (error instanceof StoreError || error instanceof SQLite.SqliteError) return [];
    throw error;
  }
};

/** Copies the current store and its WAL. The original stays in place until the backup replaces it in one step. */
const keepCurrentStore = (path: string, now: number): string | null => {
  if (!existsSync(path)) return null;
  tryCheckpointLog(path);
  const copyPath = `${path}${KEPT_STORE}${new Date(now).toISOString().replaceAll(':', '-')}`;
  aboutFile(copyPath, () => {
    for (const ending of ['', '-wal']) {
      if (existsSync(path + ending)) copyForOwner(path + ending, copyPath + ending);
    }
    // SQLite would write a remaining WAL into the backup.
    for (const ending of ['-wal', '-shm']) rmSync(path + ending, { force: true });
  });
  return copyPath;
};

const copyForOwner = (path: string, to: string): void => {
  copyFileSync(path, to, COPYFILE_EXCL | COPYFILE_FICLONE);
  copyOwner(to, path);
  chmodSync(to, OWNER_ONLY_FILE);
};

/** If the store cannot be opened, its WAL stays beside it. */
const tryCheckpointLog = (path: string): void => {
  try {
    checkpointLog(path);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
  }
};
