// Writes backups: copies the store at one moment, while the daemon may write, and checks the copy before naming it.

import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import SQLite from 'better-sqlite3';
import { describeMissingFolder } from '../../../lib/missing-folder.ts';
import { StoreError, withMessage } from '../../errors.ts';
import { requireAllParts } from '../migrations/migrations.ts';
import { asFileError } from './errors.ts';
import { createOwnerOnly, OWNER_ONLY_FILE } from './modes.ts';
import { checkIdentity, contentBytes, isEmpty, openToRead, type StoreFile, versionOf } from './open.ts';
import { runInThread } from './worker.ts';

export interface CopyOptions {
  readonly signal: AbortSignal;
  /** Called from time to time with the share that is copied, from 0 to 1. */
  readonly onProgress: (share: number) => void;
}

const PROGRESS_INTERVAL_MS = 100;

/** Copies a store of any known version. Throws StoreError and leaves nothing, also if `file` exists without `overwrite`. */
export const backUp = async (
  path: string,
  file: string,
  { overwrite, ...options }: CopyOptions & { readonly overwrite: boolean },
): Promise<void> => {
  rejectFile(path, file, overwrite);
  await replaceFile(file, '.partial', (partial) => copyAndCheck(path, partial, options));
};

/** Throws StoreError if a backup of the store at `path` cannot be written to `file`. */
export const rejectFile = (path: string, file: string, overwrite: boolean): void => {
  if (isSameFile(path, file))
    throw new StoreError('failed', `${file}: this is the store itself. Give another file name`);
  if (existsSync(file) && !overwrite) {
    throw new StoreError(
      'failed',
      `${file}: this file exists already. Give another file name, or replace the file with --overwrite`,
    );
  }
  const problem = describeMissingFolder(file);
  if (problem !== undefined) throw new StoreError('unwritable', problem);
};

/** Makes a compact copy at `to` and checks it. VACUUM INTO reads one moment while the daemon goes on writing. */
const copyAndCheck = async (path: string, to: string, { signal, onProgress }: CopyOptions): Promise<void> => {
  const bytes = contentBytes(path);
  const progressTimer = setInterval(() => {
    onProgress(Math.min(1, (statSync(to, { throwIfNoEntry: false })?.size ?? 0) / bytes));
  }, PROGRESS_INTERVAL_MS);
  try {
    createOwnerOnly(to);
    await runInThread({ kind: 'copy', path, to }, signal);
    onProgress(1);
  } catch (error) {
    throw isDiskFull(error)
      ? new StoreError(
          'unwritable',
          `${to}: the disk is full, so proxywatch cannot copy ${path}. Free space on this disk, or use another one`,
          { cause: error },
        )
      : error;
  } finally {
    clearInterval(progressTimer);
  }
  await checkCopy(path, to, signal);
};

/** Only the copy is written, so the disk of the copy is full. */
const isDiskFull = (error: unknown): boolean =>
  error instanceof StoreError &&
  error.cause instanceof SQLite.SqliteError &&
  error.cause.code === 'SQLITE_FULL';

/** Checks the copy of the store at `path`. Throws StoreError if the store is damaged. */
export const checkCopy = async (path: string, copy: string, signal: AbortSignal): Promise<void> => {
  const damages: string[] = [];
  await runInThread({ kind: 'check', path: copy }, signal, ({ subject, damage }) => {
    if (damage !== null) damages.push(`${subject}: ${damage}`);
  });
  if (damages.length > 0) throw new StoreError('damaged', `${path}: ${damages.join('; ')}`);
};

/** Makes a file beside `file` and renames it to `file` once it is complete and on the disk. Throws StoreError. */
export const replaceFile = async (
  file: string,
  ending: string,
  make: (partial: string) => Promise<void>,
): Promise<void> => {
  const partial = `${file}${ending}`;
  try {
    removeFiles(partial);
    await make(partial);
    copyOwner(partial, file);
    chmodSync(partial, OWNER_ONLY_FILE);
    syncToDisk(partial);
    renameSync(partial, file);
    syncToDisk(dirname(file));
  } catch (error) {
    throw asFileError(error, file);
  } finally {
    tryRemoveFiles(partial);
  }
};

/** An error here must not replace the one that is being thrown. */
const tryRemoveFiles = (path: string): void => {
  try {
    removeFiles(path);
  } catch {
    // The next attempt removes it.
  }
};

/** Removes a database and the files that SQLite made beside it. */
export const removeFiles = (path: string): void => {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(path + end, { force: true });
};

export const isSameFile = (one: string, other: string): boolean => {
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
};

/** Copies the owner of the replaced file, because root may restore a store that another user's daemon opens. */
export const copyOwner = (path: string, model: string): void => {
  const [own, wanted] = [statSync(path), statSync(model, { throwIfNoEntry: false })];
  if (!wanted) return;
  if (own.uid !== wanted.uid || own.gid !== wanted.gid) chownSync(path, wanted.uid, wanted.gid);
};

const syncToDisk = (path: string): void => {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};

interface BackupFile {
  readonly file: string;
  /** What to do if the file is damaged. */
  readonly remedy: string;
}

/** Opens the file for reading. Throws StoreError. */
export const openBackup = ({ file, remedy }: BackupFile): StoreFile => {
  try {
    if (isEmpty(file))
      throw new StoreError('failed', `${file}: there is no such file, or it is empty. Check the path`);
    return openToRead(file, (sql) => {
      checkIdentity(sql);
      requireAllParts(sql, versionOf(sql), remedy);
    });
  } catch (error) {
    throw aboutBackup(error, file, remedy);
  }
};

/** Throws StoreError if the file cannot be copied, or is damaged. */
export const copyBackup = async (
  { file, remedy }: BackupFile,
  to: string,
  options: CopyOptions,
): Promise<void> => {
  try {
    await copyAndCheck(file, to, options);
  } catch (error) {
    throw aboutBackup(error, file, remedy);
  }
};

/** The store's own errors say what to do about the store. */
const aboutBackup = (error: unknown, file: string, remedy: string): unknown =>
  withMessage(error, {
    foreign: `${file}: this file is not a store of proxywatch. Give a file that "proxywatch store backup" wrote`,
    damaged: `${file}: this file is damaged or incomplete. ${remedy}`,
  });
