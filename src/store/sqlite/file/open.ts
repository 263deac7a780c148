// Opens the store's file, and creates or migrates it.

import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import SQLite from 'better-sqlite3';
import { StoreError } from '../../errors.ts';
import { ADVICE, MIGRATIONS, requireAllParts } from '../migrations/migrations.ts';
import { asStoreError } from './errors.ts';
import { createOwnerOnly, OWNER_ONLY_FOLDER } from './modes.ts';
import { realPathOf, statsOf } from './real-path.ts';

/** 'PXWD': distinguishes a store of proxywatch from any other SQLite database. */
export const APPLICATION_ID = 0x50585744;

/**
 * A quarter of SQLite's default. A poll changes single rows all over a table, and each change writes its page to the
 * WAL. In tables without a rowid, rows of more than 230 bytes would go into overflow pages. A user's row has 140 to
 * 160 bytes, or some 230 if both products are used, so four rows still share a page.
 */
const PAGE_BYTES = 1_024;
/** Pages in the WAL before SQLite checkpoints them to the file: 4 MB, which is SQLite's default. */
const CHECKPOINT_PAGES = 4_000;
/** While the WAL is smaller (bytes), a write does not checkpoint it, so the file stays unchanged. */
export const MIN_CHECKPOINT_WAL_BYTES = CHECKPOINT_PAGES * PAGE_BYTES;
const BUSY_TIMEOUT_MS = 5_000;

/** An open database, which is closed at the end of the scope of `using`. */
export type StoreFile = SQLite.Database & Disposable;

interface OpenOptions {
  readonly migrations?: readonly string[];
  readonly isDurable?: boolean;
}

/**
 * Opens the file for writing and migrates its schema. Throws StoreError, and leaves the file as it was, if it is no
 * store of proxywatch, newer than this program, damaged, or in use. A step of `migrations` that fails is undone. Unless
 * `isDurable`, a power loss may damage the file, and writes take a fraction of the time.
 */
export const openFile = (
  path: string,
  { migrations = MIGRATIONS, isDurable = true }: OpenOptions = {},
): StoreFile => {
  makeFolder(path);
  inspectFile(path);
  createOwnerOnly(path);
  return open(path, {}, (sql) => {
    sql.pragma(`page_size = ${PAGE_BYTES}`);
    // NORMAL may lose committed counters at a power loss, and Prometheus takes the smallest fall for a reset.
    sql.pragma(`synchronous = ${isDurable ? 'FULL' : 'OFF'}`);
    sql.pragma('foreign_keys = ON');
    // Migrate before the journal becomes a WAL: after a crash, a new file without its WAL could not be identified.
    migrate(sql, migrations);
    sql.pragma('journal_mode = WAL');
    sql.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    // The size of the WAL then tells how much it holds, which FileGuard relies on.
    sql.pragma('journal_size_limit = 0');
  });
};

/** Opens the file for reading, even while a daemon writes it. Throws StoreError, also if there is no store. */
export const openFileReadOnly = (path: string): StoreFile =>
  openToRead(path, (sql) => {
    checkIdentity(sql);
    const version = versionOf(sql);
    if (version === MIGRATIONS.length) return;
    requireAllParts(sql, version);
    const message = `${path}: an older version of proxywatch wrote this store (schema ${version}; this version uses schema ${MIGRATIONS.length}). Start the daemon once to upgrade it`;
    throw new StoreError('failed', message);
  });

/** Whether there is no such file, or nothing in it. Throws StoreError if it is no regular file. */
export const isEmpty = (path: string): boolean => sizeOf(path) === 0;

/** Opens a store of any version that this program knows for reading. Throws StoreError, also if there is no store. */
export const openAnyVersion = (path: string): StoreFile => openToRead(path, checkIdentity);

/** Opens a store for reading, if `check` accepts it. Throws StoreError, also if there is no store. */
export const openToRead = (path: string, check: (sql: SQLite.Database) => void): StoreFile => {
  if (isEmpty(path))
    throw new StoreError(
      'unwritable',
      `${path}: there is no such file. Check the path. Before its first start, the daemon has no store`,
    );
  return open(path, { readonly: true, fileMustExist: true }, check);
};

/** Returns the size of the store's content (bytes), the WAL included and free pages excluded. */
export const contentBytes = (path: string): number => {
  using sql = openAnyVersion(path);
  const numberOf = (name: string): number => Number(sql.pragma(name, { simple: true }));
  return (numberOf('page_count') - numberOf('freelist_count')) * numberOf('page_size');
};

/** Checkpoints a WAL that a killed daemon left to the store's file. Changes nothing else. Throws StoreError. */
export const checkpointLog = (path: string): void => {
  open(path, {}, (sql) => sql.pragma('wal_checkpoint(TRUNCATE)')).close();
};

/** Creates folders one by one: mkdir's own recursion never ends where folders cannot be created, such as below /proc. */
const makeFolders = (folder: string): void => {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  makeFolders(dirname(folder));
  mkdirSync(folder, { mode: OWNER_ONLY_FOLDER });
};

/** Creates the folder of the store. Throws StoreError. */
export const makeFolder = (path: string): void => {
  try {
    makeFolders(dirname(path));
  } catch (error) {
    const message = `${path}: proxywatch cannot create the folder of the store. Create the folder, or set store.path to another path`;
    throw new StoreError('unwritable', message, { cause: error });
  }
};

const sizeOf = (path: string): number => {
  const stats = statsOf(path);
  if (stats && !stats.isFile()) throw foreignFileError(path);
  return stats?.size ?? 0;
};

/**
 * Checks an existing file over a connection that cannot write, because a writing one would checkpoint a leftover WAL.
 * The file is not read directly, because closing it would release the locks of this process on it. Throws StoreError.
 */
export const inspectFile = (path: string): void => {
  if (sizeOf(path) === 0) return;
  try {
    open(path, { readonly: true }, checkIdentity).close();
  } catch (error) {
    // A transaction was interrupted. SQLite rolls it back when the file is opened for writing, and it is checked then.
    if (!needsRollback(error)) throw error;
  }
};

const needsRollback = (error: unknown): boolean =>
  error instanceof StoreError &&
  error.cause instanceof SQLite.SqliteError &&
  error.cause.code === 'SQLITE_READONLY_ROLLBACK';

/** Throws StoreError if the file is no store, or newer than this program. */
export const checkIdentity = (sql: SQLite.Database): void => {
  if (applicationIdOf(sql) !== APPLICATION_ID) throw foreignFileError(sql.name);
  const version = versionOf(sql);
  if (version <= MIGRATIONS.length) return;
  const message = `${sql.name}: a newer version of proxywatch wrote this store (schema ${version}; this version knows up to ${MIGRATIONS.length}); run the newer version, or restore a backup from before the upgrade`;
  throw new StoreError('newer', message);
};

const foreignFileError = (path: string): StoreError =>
  new StoreError(
    'foreign',
    `${path}: this file is not a store of proxywatch. Set store.path to another file, or move this file away`,
  );

/** No program can use such a file as a database. It may be a store whose first bytes are damaged. */
const noDatabaseError = (path: string, cause: unknown): StoreError =>
  new StoreError(
    'foreign',
    `${path}: this file is not a store of proxywatch, or its first bytes are damaged. If store.path is wrong, correct it. Otherwise restore a backup with "proxywatch store restore"`,
    { cause },
  );

/** Whether the file is no SQLite database at all, neither of proxywatch nor of another program. */
export const isNoDatabase = ({ kind, cause }: StoreError): boolean =>
  kind === 'foreign' && cause instanceof SQLite.SqliteError && cause.code === 'SQLITE_NOTADB';

const applicationIdOf = (sql: SQLite.Database): number => {
  try {
    return Number(sql.pragma('application_id', { simple: true }));
  } catch (error) {
    if (error instanceof SQLite.SqliteError && error.code === 'SQLITE_NOTADB')
      throw noDatabaseError(sql.name, error);
    throw error;
  }
};

export const versionOf = (sql: SQLite.Database): number =>
  Number(sql.pragma('user_version', { simple: true }));

const migrate = (sql: SQLite.Database, migrations: readonly string[]): void => {
  const isNew = sql.pragma('page_count', { simple: true }) === 0;
  if (!isNew) checkIdentity(sql);
  const version = versionOf(sql);
  if (version < migrations.length) requireAllParts(sql, version, ADVICE, migrations);
  migrations.slice(version).forEach((step, done) => {
    sql.transaction(() => {
      // This takes effect for new files only. Outside the transaction it would write to the file before it has its
      // application_id. An older file would have to be rewritten as a whole: it keeps its size and reuses free pages.
      sql.pragma('auto_vacuum = INCREMENTAL');
      sql.exec(step);
      sql.pragma(`application_id = ${APPLICATION_ID}`);
      sql.pragma(`user_version = ${version + done + 1}`);
    })();
  });
};

/** Opens a connection to the real file and calls `prepare` with it. Closes it if that throws. Throws StoreError. */
export const open = (
  path: string,
  options: SQLite.Options,
  prepare: (sql: SQLite.Database) => void,
): StoreFile => {
  let sql: SQLite.Database | undefined;
  try {
    sql = new SQLite(realPathOf(path), { timeout: BUSY_TIMEOUT_MS, ...options });
    prepare(sql);
    return Object.assign(sql, { [Symbol.dispose]: sql.close });
  } catch (error) {
    sql?.close();
    throw asStoreError(error, path);
  }
};
