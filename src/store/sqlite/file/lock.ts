// Locks the store, so that one process at a time uses the file, whatever name each process knows it by.

import { existsSync } from 'node:fs';
import { StoreError } from '../../errors.ts';
import { createOwnerOnly } from './modes.ts';
import { makeFolder, open, type StoreFile } from './open.ts';
import { realPathOf, statsOf } from './real-path.ts';

/** Locks the store until the process ends, even if killed. Throws StoreError if another uses it, by any path or name. */
export const lockFile = (path: string): StoreFile => {
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
    open(lock, { readonly: true, timeout: 0 }, (sql) => sql.pragma('schema_version')).close();
    return false;
  } catch (error) {
    if (error instanceof StoreError && error.kind === 'locked') return true;
    throw error;
  }
};

/** Returns how many names (hard links) the file has: 0 if there is no file. */
export const nameCountOf = (path: string): number => statsOf(path)?.nlink ?? 0;

/**
 * Another name of the file in another folder has another lock file, but each open connection also holds SQLite's lock on
 * the file itself. This lock cannot tell a daemon from a reader by the same name, so it is tried only where no such
 * reader can be the cause. Throws StoreError.
 */
export const assertNoOtherName = (path: string): void => {
  const names = nameCountOf(path);
  if (names === 0 || (names === 1 && isInUseBy(path))) return;
  const other = names > 1 ? HARD_LINKS : BIND_MOUNT;
  try {
    const problem = `${path}: another program is using this store, maybe by another name: ${other}`;
    lockExclusively(path, problem, 'locking_mode = EXCLUSIVE').close();
  } catch (error) {
    if (names === 1 && isInUseBy(path)) return;
    // Opening the store reports any other problem of the file, and a restore replaces such a file.
    if (error instanceof StoreError && error.kind === 'locked') throw error;
  }
};

const HARD_LINKS =
  'the file has several (hard links). Stop that program, or remove the names that you do not need';
const BIND_MOUNT =
  'the file may be mounted by itself in several places. Stop that program, and mount the folder of the store instead of the file';

/**
 * Whether a connection by this name is open, or ended without a checkpoint. Each connection has these files beside the
 * name by which it opened the store. An attempt to lock the file would roll back or checkpoint what a crash left.
 */
const isInUseBy = (path: string): boolean =>
  ['-shm', '-wal', '-journal'].some((end) => existsSync(`${realPathOf(path)}${end}`));

const lockExclusively = (file: string, problem: string, pragma = 'locking_mode = NORMAL'): StoreFile => {
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
