// Puts a backup in the store's place: checked and brought up to date first, the present store kept aside.

import { COPYFILE_EXCL, COPYFILE_FICLONE } from 'node:constants';
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { StoreError } from '../../errors.ts';
import { asFileError, type CopyOptions, copySound, inPlaceOf, isSameFile } from './backup.ts';
import { createDatabase } from './database.ts';
import { createEpochs } from './epoch.ts';
import { inspectFile, lockFile, openAnyVersion, openFile, takeInLog } from './open.ts';

export interface RestoreOptions extends CopyOptions {
  /** Present time (ms): names the file that the present store is kept in. */
  readonly now: number;
}

/**
 * Puts the backup in `file` in the place of the store at `path`; the next opening begins a new epoch. Returns where the
 * present store is kept; null when there was none. Throws StoreError, and leaves the store as it was, while a daemon
 * runs, or when the backup is not a sound store of this version or an older one.
 */
export const restore = async (
  path: string,
  file: string,
  { now, ...options }: RestoreOptions,
): Promise<string | null> => {
  if (isSameFile(path, file)) throw new StoreError('failed', `${file}: is the store itself; name a backup`);
  inspectBackup(file);
  refuseForeign(path);
  using _lock = heldLock(path);
  let kept: string | null = null;
  await inPlaceOf(path, '.restoring', async (copy) => {
    await copySound(file, copy, options);
    markRestored(copy, now);
    kept = keepAside(path, now);
  });
  return kept;
};

const inspectBackup = (file: string): void => {
  try {
    openAnyVersion(file).close();
  } catch (error) {
    if (!(error instanceof StoreError && error.kind === 'foreign')) throw error;
    const message = `${file}: not a store of proxywatch; name a file that store backup wrote`;
    throw new StoreError('foreign', message, { cause: error });
  }
};

/** A store that is damaged, or a newer one that is to be left, gives way to a backup; somebody else's file does not. */
const refuseForeign = (path: string): void => {
  try {
    inspectFile(path);
  } catch (error) {
    if (!(error instanceof StoreError) || error.kind === 'foreign' || error.kind === 'locked') throw error;
  }
};

const heldLock = (path: string): Disposable => {
  const lock = lockFile(path);
  return { [Symbol.dispose]: () => lock.close() };
};

/** Brings the copy up to the present schema and asks for a new epoch. */
const markRestored = (path: string, now: number): void => {
  const sql = openFile(path);
  try {
    createEpochs(createDatabase(sql, 0, () => {})).markRestored(now);
  } finally {
    sql.close();
  }
};

/** Copies the present store, its log too: it stays in its place until the backup takes that in one step. */
const keepAside = (path: string, now: number): string | null => {
  if (!existsSync(path)) return null;
  takeInLogOf(path);
  const aside = `${path}.before-restore-${new Date(now).toISOString().replaceAll(':', '-')}`;
  try {
    for (const ending of ['', '-wal']) {
      if (existsSync(path + ending))
        copyFileSync(path + ending, aside + ending, COPYFILE_EXCL | COPYFILE_FICLONE);
    }
    // A log that stayed would be written into the backup.
    for (const ending of ['-wal', '-shm']) rmSync(path + ending, { force: true });
  } catch (error) {
    throw asFileError(error, aside);
  }
  return aside;
};

/** A store that cannot be opened keeps its log beside it. */
const takeInLogOf = (path: string): void => {
  try {
    takeInLog(path);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
  }
};
