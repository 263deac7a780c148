// Locks the store, so that one process at a time uses the file, whatever name each process knows it by.

import { existsSync } from 'node:fs';
import SQLite from 'better-sqlite3';
import { StoreError } from '../../errors.ts';
import { createOwnerOnly } from './modes.ts';
import { makeFolder, open } from './open.ts';
import { realPathOf } from './real-path.ts';
import { asStoreError } from './sqlite-error.ts';
import { statsOf } from './stats.ts';

/**
 * Locks the store for this process. The operating system releases the lock when the process ends, even if it is killed.
 * Throws StoreError if another process uses the store, also by another path or another name of the same file.
 */
export const lockFile = (path: string): SQLite.Database => {
  makeFolder(path);
  const lock = `${realPathOf(path)}.lock`;
  createOwnerOnly(lock);
  const remedy = 'Stop the other proxywatch, or set store.path to another file';
  const taken = lockExclusively(lock, `${path}: another proxywatch is using this store. ${remedy}`);
  try {
    assertNoOtherName(path);
    return taken;
  } catch (error) {
    taken.close();
    throw error;
  }
};

/** Returns whether a daemon has locked the store at `path`: its lock file cannot be read then. Throws StoreError. */
export const isLocked = (path: string): boolean => {
  const lock = `${realPathOf(path)}.lock`;
  if (!existsSync(lock)) return false;
  try {
    using stack = new DisposableStack();
    const sql = stack.adopt(new SQLite(lock, { readonly: true, timeout: 0 }), (connection) =>
      connection.close(),
    );
    sql.pragma('schema_version');
    return false;
  } catch (error) {
    if (error instanceof SQLite.SqliteError && error.code === 'SQLITE_BUSY') return true;
    throw asStoreError(error, lock);
  }
};

/** Returns how many names (hard links) the file has: 0 if there is no file. */
export const nameCountOf = (path: string): number => statsOf(path)?.nlink ?? 0;

/**
 * A hard link in another folder has another lock file, but each open connection also holds SQLite's lock on the file
 * itself. This lock cannot tell a daemon from a reader, so it is tried only where a second name exists.
 */
const assertNoOtherName = (path: string): void => {
  if (nameCountOf(path) < 2) return;
  const problem = `${path}: another program is using this store, maybe by another name: the file has several (hard links)`;
  const remedy = 'Stop that program, or remove the names that you do not need';
  try {
    lockExclusively(path, `${problem}. ${remedy}`, 'locking_mode = EXCLUSIVE').close();
  } catch (error) {
    // Opening the store reports any other problem of the file, and a restore replaces such a file.
    if (error instanceof StoreError && error.kind === 'locked') throw error;
  }
};

const lockExclusively = (
  file: string,
  problem: string,
  pragma = 'locking_mode = NORMAL',
): SQLite.Database => {
  try {
    return open(file, { timeout: 0 }, (sql) => {
      sql.pragma(pragma);
      sql.exec('BEGIN EXCLUSIVE');
    });
  } catch (error) {
    if (!(error instanceof StoreError && error.kind === 'locked')) throw error;
    throw new StoreError('locked', problem, { cause: error });
  }
};
