// Keeps the store's files readable for their owner only: the store holds what an account does and pays.

import { chmodSync, closeSync, lstatSync, openSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export const OWNER_ONLY_FILE = 0o600;
export const OWNER_ONLY_FOLDER = 0o700;
const ALL_OTHERS = 0o077;

/** What follows the store's name in the names of its other files. */
const ENDINGS = ['', '-wal', '-shm', '-journal', '.lock', '.lock-journal', '.sequence', '.sequence.new'];
/** What follows the store's name where a restore keeps the replaced store. */
export const KEPT_STORE = '.before-restore-';

/** The files whose modes were too open when the store was opened. */
export interface RestrictedModes {
  readonly restricted: readonly string[];
  /** Files of another owner, or on a file system without modes. */
  readonly failed: readonly string[];
}

/**
 * Creates an empty file for its owner only, because SQLite would create it with the mode that the process gives to all
 * files. SQLite gives the journal, WAL and shared memory the mode of their database. It reports why a file cannot be
 * created better than this function could.
 */
export const createOwnerOnly = (path: string): void => {
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY_FILE));
  } catch {
    // An existing file is neither opened nor closed, because closing it would release the locks of this process on it.
  }
};

/** Takes the permissions of all other users from the store's files, which older versions created with them. */
export const restrictModes = (path: string): RestrictedModes => {
  const open = filesOf(path).filter(isOpenToOthers);
  tryToRestrict(path);
  // The users of a store that stays open to them need its other files too.
  if (isOpenToOthers(path)) return { restricted: [], failed: open };
  for (const file of open) tryToRestrict(file);
  const failed = open.filter(isOpenToOthers);
  return { restricted: open.filter((file) => !failed.includes(file)), failed };
};

/** SQLite resolves a link to the store, and puts its own files beside the real file. */
const filesOf = (path: string): string[] => {
  const bases = [...new Set([path, realpathSync(path)])];
  const known = bases.flatMap((base) => ENDINGS.map((ending) => base + ending));
  return [...known, ...keptStoresOf(path)].filter(isRegularFile);
};

const keptStoresOf = (path: string): string[] =>
  namesIn(dirname(path))
    .filter((name) => name.startsWith(basename(path) + KEPT_STORE))
    .map((name) => join(dirname(path), name));

/** A folder may let this user use its files without listing them. */
const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

const isRegularFile = (file: string): boolean =>
  lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;

const isOpenToOthers = (file: string): boolean =>
  ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & ALL_OTHERS) !== 0;

const tryToRestrict = (file: string): void => {
  try {
    if (isOpenToOthers(file)) chmodSync(file, OWNER_ONLY_FILE);
  } catch {
    // The caller reports files that stay open to others.
  }
};
