// What can be told of a store from outside, without changing it or holding anybody up.

import { accessSync, constants, existsSync, mkdtempSync, rmdirSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import SQLite from 'better-sqlite3';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { asFileError } from './backup.ts';
import { openAnyVersion, versionOf } from './open.ts';
import { sidecarPath } from './sidecar.ts';
import { asStoreError } from './sqlite-error.ts';

/** Schema of this program's stores. */
export const PRESENT_SCHEMA = MIGRATIONS.length;

/** Schema of the store at `path`; undefined where there is none yet. Throws StoreError for what is no store of ours. */
export const schemaAt = (path: string): number | undefined => {
  if (bytesOf(path) === 0) return undefined;
  const sql = openAnyVersion(path);
  try {
    return versionOf(sql);
  } finally {
    sql.close();
  }
};

/** Whether a daemon has the store at `path`: its lock lets nobody read. Throws StoreError. */
export const isHeld = (path: string): boolean => {
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

/** Throws StoreError unless this user could make and write the store's files; leaves nothing behind. */
export const tryWriting = (path: string): void => {
  try {
    rmdirSync(mkdtempSync(join(nearestFolder(path), '.proxywatch-')));
    for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}.lock`, sidecarPath(path)]) {
      if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK);
    }
  } catch (error) {
    throw asFileError(error, path);
  }
};

export interface Space {
  /** Of the store and its log. */
  readonly usedBytes: number;
  /** On its disk, for this user. */
  readonly freeBytes: number;
}

export const spaceAt = (path: string): Space => {
  const { bavail, bsize } = statfsSync(nearestFolder(path));
  return { usedBytes: bytesOf(path) + bytesOf(`${path}-wal`), freeBytes: bavail * bsize };
};

/** The store's folder, or the one in which it is to be made. */
const nearestFolder = (path: string): string => {
  let folder = dirname(path);
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
};

const bytesOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
