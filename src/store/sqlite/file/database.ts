// A SQLite connection whose transactions are timed, counted and turned into StoreErrors.

import type SQLite from 'better-sqlite3';
import type { WriteObserver } from '../../store.ts';
import { asStoreError } from './sqlite-error.ts';

export interface Database {
  /** The connection, to prepare statements on. */
  readonly sql: SQLite.Database;
  /** Milliseconds that a new counter shows 0. */
  readonly firstStepHoldMs: number;
  /** Runs `work` in one transaction. Throws StoreError, with everything undone, when it fails. */
  write<T>(work: () => T): T;
  /** Runs `work` on one state of the store, whatever another process writes. Throws StoreError. */
  read<T>(work: () => T): T;
  /** The key of an account's rows, given to it when it is new. Outside of transactions. */
  accountId(name: string): number;
  /** The key of an account's rows for reading; that of no rows while nothing is stored of it. */
  knownAccountId(name: string): number;
  /** Looks keys up again: some accounts were deleted. */
  forgetAccounts(): void;
  /** Brings the log to the file as far as no reader needs it, without waiting for one. Throws StoreError. */
  checkpoint(): void;
}

const NO_ACCOUNT = 0;

export const createDatabase = (
  sql: SQLite.Database,
  firstStepHoldMs: number,
  observe: WriteObserver,
): Database => {
  const transaction = sql.transaction((work: () => unknown) => work());
  const find = sql.prepare<[string], number>('SELECT id FROM account WHERE name = ?').pluck();
  const insert = sql.prepare<[string]>('INSERT INTO account (name) VALUES (?)');
  const ids = new Map<string, number>();

  const write = <T>(work: () => T): T => {
    const startedAt = performance.now();
    try {
      const result = transaction.immediate(work) as T;
      observe(performance.now() - startedAt);
      return result;
    } catch (error) {
      observe(performance.now() - startedAt, error);
      throw asStoreError(error, sql.name);
    }
  };

  const read = <T>(work: () => T): T => {
    try {
      return transaction.deferred(work) as T;
    } catch (error) {
      throw asStoreError(error, sql.name);
    }
  };

  const knownAccountId = (name: string): number => ids.get(name) ?? find.get(name) ?? NO_ACCOUNT;

  const accountId = (name: string): number => {
    const known = ids.get(name) ?? read(() => knownAccountId(name));
    const id = known !== NO_ACCOUNT ? known : Number(write(() => insert.run(name)).lastInsertRowid);
    ids.set(name, id);
    return id;
  };

  const checkpoint = (): void => {
    try {
      sql.pragma('wal_checkpoint(PASSIVE)');
    } catch (error) {
      throw asStoreError(error, sql.name);
    }
  };

  const forgetAccounts = (): void => ids.clear();
  return { sql, firstStepHoldMs, write, read, accountId, knownAccountId, forgetAccounts, checkpoint };
};
