// Inspects a store's files without changing them or blocking a daemon.

import { accessSync, constants, existsSync, mkdtempSync, rmdirSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import SQLite from 'better-sqlite3';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { asFileError } from './file-error.ts';
import { openAnyVersion, versionOf } from './open.ts';
import { sidecarPath } from './sidecar.ts';
import { asStoreError } from './sqlite-error.ts';

/** The schema version of this program's stores. */
export const CURRENT_SCHEMA = MIGRATIONS.length;

/**
 * Returns the schema version of the store at `path`, or undefined if there is none yet. Throws StoreError for any other
 * file.
 */
export const schemaVersionOf = (path: string): number | undefined => {
  if (bytesOf(path) === 0) return undefined;
  const sql = openAnyVersion(path);
  try {
    return versionOf(sql);
  } finally {
    sql.close();
  }
};

/** Returns whether a daemon has locked the store at `path`: its lock file cannot be read then. Throws StoreError. */
export const isLocked = (path: string): boolean => {
  const lock = `${path}.lock`;
  if (!existsSync(lock)) return false;
  try {
    using stack = new DisposableStack();
    const sql = stack.adopt(new SQLite(lock, { readonly: true, timeout: 0 }), (open) => open.close());
    sql.pragma('schema_version');
    return false;
  } catch (error) {
    if (error instanceof SQLite.SqliteError && error.code === 'SQLITE_BUSY') return true;
    throw asStoreError(error, lock);
  }
};

/** Throws StoreError unless this user can create and write the store's files. Leaves nothing behind. */
export const checkWriteAccess = (path: string): void => {
  try {
    rmdirSync(mkdtempSync(join(nearestExistingFolder(path), '.proxywatch-')));
    for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}.lock`, sidecarPath(path)]) {
      if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK);
    }
  } catch (error) {
    throw asFileError(error, path);
  }
};

export interface DiskSpace {
  /** Size of the store and its WAL. */
  readonly usedBytes: number;
  /** Free space on its disk that this user may use. */
  readonly freeBytes: number;
}

export const diskSpaceOf = (path: string): DiskSpace => {
  const { bavail, bsize } = statfsSync(nearestExistingFolder(path));
  return { usedBytes: bytesOf(path) + bytesOf(`${path}-wal`), freeBytes: bavail * bsize };
};

/** Returns the store's folder, or the closest existing folder above it. */
const nearestExistingFolder = (path: string): string => {
  let folder = dirname(path);
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
};

const bytesOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
