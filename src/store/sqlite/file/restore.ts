// Restores a backup: checks and migrates a copy, keeps the current store under another name, and replaces it.

import { COPYFILE_EXCL, COPYFILE_FICLONE } from 'node:constants';
import { chmodSync, copyFileSync, existsSync, rmSync } from 'node:fs';
import { StoreError } from '../../errors.ts';
import { type CopyOptions, copyAndCheck, copyOwner, isSameFile, replaceFile } from './backup.ts';
import { createDatabase } from './database.ts';
import { createEpochs } from './epoch.ts';
import { asFileError } from './file-error.ts';
import { KEPT_STORE, OWNER_ONLY_FILE } from './modes.ts';
import { checkpointLog, inspectFile, isNoDatabase, lockFile, openAnyVersion, openFile } from './open.ts';

export interface RestoreOptions extends CopyOptions {
  /** Current time (ms), part of the name under which the current store is kept. */
  readonly now: number;
}

/**
 * Replaces the store at `path` with the backup in `file`; the next opening begins a new epoch. Returns the path under
 * which the current store is kept, or null if there was none. Throws StoreError, and leaves the store as it was, while
 * a daemon runs, or if the backup is not a valid store of this version or an older one.
 */
export const restore = async (
  path: string,
  file: string,
  { now, ...options }: RestoreOptions,
): Promise<string | null> => {
  if (isSameFile(path, file))
    throw new StoreError('failed', `${file}: this is the store itself. Give the file of a backup`);
  inspectBackup(file);
  rejectForeignFile(path);
  using _lock = acquireLock(path);
  let keptPath: string | null = null;
  await replaceFile(path, '.restoring', async (copy) => {
    await copyAndCheck(file, copy, options);
    markRestored(copy, now);
    keptPath = keepCurrentStore(path, now);
  });
  return keptPath;
};

const inspectBackup = (file: string): void => {
  try {
    openAnyVersion(file).close();
  } catch (error) {
    if (!(error instanceof StoreError && error.kind === 'foreign')) throw error;
    const message = `${file}: this file is not a store of proxywatch. Give a file that "proxywatch store backup" wrote`;
    throw new StoreError('foreign', message, { cause: error });
  }
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

const acquireLock = (path: string): Disposable => {
  const lock = lockFile(path);
  return { [Symbol.dispose]: () => lock.close() };
};

/** Migrates the copy and makes its next opening begin a new epoch. */
const markRestored = (path: string, now: number): void => {
  const sql = openFile(path);
  try {
    createEpochs(createDatabase(sql, 0, () => {})).markRestored(now);
  } finally {
    sql.close();
  }
};

/** Copies the current store and its WAL. The original stays in place until the backup replaces it in one step. */
const keepCurrentStore = (path: string, now: number): string | null => {
  if (!existsSync(path)) return null;
  tryCheckpointLog(path);
  const copyPath = `${path}${KEPT_STORE}${new Date(now).toISOString().replaceAll(':', '-')}`;
  try {
    for (const ending of ['', '-wal']) {
      if (existsSync(path + ending)) copyForOwner(path + ending, copyPath + ending);
    }
    // SQLite would write a remaining WAL into the backup.
    for (const ending of ['-wal', '-shm']) rmSync(path + ending, { force: true });
  } catch (error) {
    throw asFileError(error, copyPath);
  }
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
