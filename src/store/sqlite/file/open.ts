// Opens the store's file: ours or new, not newer than the program, one daemon at a time.

import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import SQLite from 'better-sqlite3';
import { StoreError } from '../../errors.ts';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { asStoreError } from './sqlite-error.ts';

/** 'PXWD': tells a file of ours from any other SQLite database. */
export const APPLICATION_ID = 0x50585744;

/**
 * A quarter of SQLite's default: a poll changes single rows all over a table, and each writes its page to the
 * log. Without a rowid, rows of more than 230 bytes would go into overflow pages; a user's has 140 to 160,
 * and some 230 when both products are used: four still share a page.
 */
const PAGE_BYTES = 1_024;
/** Pages that the log may have before they are brought to the file: 4 MB, as SQLite has it by default. */
const CHECKPOINT_PAGES = 4_000;
const BUSY_TIMEOUT_MS = 5_000;

interface OpenOptions {
  readonly migrations?: readonly string[];
  readonly isLasting?: boolean;
}

/**
 * The connection, its schema brought up to date. Throws StoreError, and leaves the file as it was, when it
 * is not ours, newer than this program, damaged, or in use. A step of `migrations` that fails is undone.
 * Unless it `isLasting`, a power loss may damage the file, and writes take a fraction of the time.
 */
export const openFile = (
  path: string,
  { migrations = MIGRATIONS, isLasting = true }: OpenOptions = {},
): SQLite.Database => {
  makeFolder(path);
  inspectFile(path);
  return open(path, {}, (sql) => {
    sql.pragma(`page_size = ${PAGE_BYTES}`);
    // NORMAL loses committed counters at power loss, and Prometheus takes the smallest fall for a reset.
    sql.pragma(`synchronous = ${isLasting ? 'FULL' : 'OFF'}`);
    sql.pragma('foreign_keys = ON');
    // Before the journal becomes a WAL: after a crash a new file without its WAL would not be known as ours.
    migrate(sql, migrations);
    sql.pragma('journal_mode = WAL');
    sql.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    sql.pragma(`journal_size_limit = ${CHECKPOINT_PAGES * PAGE_BYTES}`);
  });
};

/** A connection that reads what a daemon may be writing. Throws StoreError, also when there is no store. */
export const openFileToRead = (path: string): SQLite.Database => {
  const sql = openAnyVersion(path);
  if (versionOf(sql) === MIGRATIONS.length) return sql;
  sql.close();
  const message = `${path}: written by an older proxywatch; start the daemon once to bring it up to date`;
  throw new StoreError('failed', message);
};

/** The same for a store of any version that this program knows. */
export const openAnyVersion = (path: string): SQLite.Database => {
  if (sizeOf(path) === 0)
    throw new StoreError('unwritable', `${path}: there is no store; see that the path is right`);
  return open(path, { readonly: true, fileMustExist: true }, checkIdentity);
};

/** Bytes of what is in the store, its log too, without pages that are free. */
export const contentBytes = (path: string): number => {
  const sql = openAnyVersion(path);
  const [pages, free, size] = ['page_count', 'freelist_count', 'page_size'].map((name) =>
    Number(sql.pragma(name, { simple: true })),
  );
  sql.close();
  return ((pages ?? 0) - (free ?? 0)) * (size ?? 0);
};

/** Brings a log that a killed daemon left into the store's file, which stays as it is else. Throws StoreError. */
export const takeInLog = (path: string): void => {
  open(path, {}, (sql) => sql.pragma('wal_checkpoint(TRUNCATE)')).close();
};

/** Holds the file for one process: the lock goes with the process, however it ends. */
export const lockFile = (path: string): SQLite.Database => {
  makeFolder(path);
  try {
    return open(`${path}.lock`, { timeout: 0 }, (lock) => lock.exec('BEGIN EXCLUSIVE'));
  } catch (error) {
    if (!(error instanceof StoreError && error.kind === 'locked')) throw error;
    const message = `${path}: another proxywatch is using this store; stop it, or give this one a store.path of its own`;
    throw new StoreError('locked', message, { cause: error });
  }
};

/** One by one: mkdir's own recursion never ends where a file system takes no folders, such as below /proc. */
const makeFolders = (folder: string): void => {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  makeFolders(dirname(folder));
  mkdirSync(folder);
};

const makeFolder = (path: string): void => {
  try {
    makeFolders(dirname(path));
  } catch (error) {
    const message = `${path}: the store's folder cannot be made; make it, or name another store.path`;
    throw new StoreError('unwritable', message, { cause: error });
  }
};

const sizeOf = (path: string): number => {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats && !stats.isFile()) throw foreign(path);
  return stats?.size ?? 0;
};

/**
 * Judges the file, where there is one, over a connection that cannot change it: another would write a WAL left behind
 * into it. Not by its bytes: closing a file takes away the locks that this process may hold on it. Throws StoreError.
 */
export const inspectFile = (path: string): void => {
  if (sizeOf(path) === 0) return;
  try {
    open(path, { readonly: true }, checkIdentity).close();
  } catch (error) {
    // A transaction was cut short: opened for writing, SQLite takes it back, and the file is judged then.
    if (!isCutShort(error)) throw error;
  }
};

const isCutShort = (error: unknown): boolean =>
  error instanceof StoreError &&
  error.cause instanceof SQLite.SqliteError &&
  error.cause.code === 'SQLITE_READONLY_ROLLBACK';

const checkIdentity = (sql: SQLite.Database): void => {
  if (applicationIdOf(sql) !== APPLICATION_ID) throw foreign(sql.name);
  const version = versionOf(sql);
  if (version <= MIGRATIONS.length) return;
  const message = `${sql.name}: written by a newer proxywatch (schema ${version}, this program knows ${MIGRATIONS.length}); run that version, or restore a backup made before the upgrade`;
  throw new StoreError('newer', message);
};

const foreign = (path: string, cause?: unknown): StoreError =>
  new StoreError('foreign', `${path}: not a store of proxywatch; name another store.path, or move it away`, {
    cause,
  });

const applicationIdOf = (sql: SQLite.Database): number => {
  try {
    return Number(sql.pragma('application_id', { simple: true }));
  } catch (error) {
    if (error instanceof SQLite.SqliteError && error.code === 'SQLITE_NOTADB') throw foreign(sql.name, error);
    throw error;
  }
};

export const versionOf = (sql: SQLite.Database): number =>
  Number(sql.pragma('user_version', { simple: true }));

const migrate = (sql: SQLite.Database, migrations: readonly string[]): void => {
  const isNew = sql.pragma('page_count', { simple: true }) === 0;
  if (!isNew) checkIdentity(sql);
  const version = versionOf(sql);
  migrations.slice(version).forEach((step, done) => {
    sql.transaction(() => {
      // Holds for new files alone, and would write to them before they are ours. To turn an older one over would
      // write all of it anew; it keeps its size, and uses again what is free in it.
      sql.pragma('auto_vacuum = INCREMENTAL');
      sql.exec(step);
      sql.pragma(`application_id = ${APPLICATION_ID}`);
      sql.pragma(`user_version = ${version + done + 1}`);
    })();
  });
};

/** The connection once `prepare` is done with it; closed when that throws. */
const open = (
  path: string,
  options: SQLite.Options,
  prepare: (sql: SQLite.Database) => void,
): SQLite.Database => {
  let sql: SQLite.Database | undefined;
  try {
    sql = new SQLite(path, { timeout: BUSY_TIMEOUT_MS, ...options });
    prepare(sql);
    return sql;
  } catch (error) {
    sql?.close();
    throw asStoreError(error, path);
  }
};
