// Wraps a SQLite connection: times and counts its transactions, and converts their errors to StoreErrors.

import type SQLite from 'better-sqlite3';
import type { WriteObserver } from '../../store.ts';
import { asStoreError } from './errors.ts';
import type { FileGuard } from './file-guard.ts';

/** A connection that compiles each statement at its first use: a store has hundreds, and a process uses few of them. */
export class LazyConnection {
  readonly #sql: SQLite.Database;
  readonly #statements = new Map<string, SQLite.Statement>();

  constructor(sql: SQLite.Database) {
    this.#sql = sql;
  }

  get name(): string {
    return this.#sql.name;
  }

  prepare<P extends unknown[] | object = unknown[], R = unknown>(
    source: string,
  ): SQLite.Statement<P extends unknown[] ? P : [P], R> {
    return compiledLater(() => this.#sql.prepare(source)) as never;
  }

  /** Runs a statement, which is kept for the next time. Returns the number of changed rows. */
  run(source: string, ...values: unknown[]): number {
    return this.#statement(source).run(...values).changes;
  }

  /** Returns the rows of a query, which is kept for the next time. */
  all<R>(source: string, ...values: unknown[]): R[] {
    return this.#statement(source).all(...values) as R[];
  }

  get<R>(source: string, ...values: unknown[]): R | undefined {
    return this.#statement(source).get(...values) as R | undefined;
  }

  #statement(source: string): SQLite.Statement {
    const known = this.#statements.get(source);
    if (known) return known;
    const statement = this.prepare(source) as SQLite.Statement;
    this.#statements.set(source, statement);
    return statement;
  }

  exec(source: string): void {
    this.#sql.exec(source);
  }

  pragma(source: string, options?: SQLite.PragmaOptions): unknown {
    return this.#sql.pragma(source, options);
  }
}

const USES = ['run', 'get', 'all', 'iterate'] as const;

/** The first use replaces all uses by those of the compiled statement, so that later ones cost nothing more. */
const compiledLater = (compile: () => SQLite.Statement) => {
  const later: Record<string, (...values: unknown[]) => unknown> = {
    raw: () => compiledLater(() => compile().raw()),
    pluck: () => compiledLater(() => compile().pluck()),
  };
  for (const use of USES)
    later[use] = (...values) => {
      const statement = compile();
      for (const each of USES) later[each] = statement[each].bind(statement);
      return statement[use](...values);
    };
  return later;
};

interface Transactions {
  readonly sql: LazyConnection;
  /** Prepares a query of one column, which returns values instead of rows. */
  prepareValue<P extends unknown[] | object, R>(
    source: string,
  ): SQLite.Statement<P extends unknown[] ? P : [P], R>;
  /** How long a new counter shows 0 (ms). */
  readonly firstStepHoldMs: number;
  /** Runs `work` in one transaction. If it fails, undoes everything and throws StoreError. */
  write<T>(work: () => T): T;
  /** Runs `work` on one snapshot of the store, even while another process writes. Throws StoreError. */
  read<T>(work: () => T): T;
  /** How often rows of published history were replaced or deleted since the start, without a correction. */
  readonly replacements: { count: number };
  /** Returns the key of an account's rows and creates it for a new account. Not inside a transaction. */
  accountId(name: string): number;
  /** Returns the key of an account's rows for reading. If nothing is stored for the account, no row has that key. */
  knownAccountId(name: string): number;
  /** Clears the cached keys, after accounts were deleted. */
  clearAccountIds(): void;
  /** Copies the WAL to the file as far as no reader needs it, without waiting for readers. Throws StoreError. */
  checkpoint(): void;
}

const NO_ACCOUNT = 0;

export const createDatabase = (
  connection: SQLite.Database,
  firstStepHoldMs: number,
  observe: WriteObserver = () => {},
  guard?: FileGuard,
): Database => {
  const sql = new LazyConnection(connection);
  const transaction = connection.transaction((work: () => unknown) => work());
  const find = sql.prepare<[string], number>('SELECT id FROM account WHERE name = ?').pluck();
  const insert = sql.prepare<[string]>('INSERT INTO account (name) VALUES (?)');
  const ids = new Map<string, number>();

  const failureOf = (error: unknown): unknown => {
    const failure = asStoreError(error, sql.name);
    guard?.failed(failure);
    return failure;
  };

  const write = <T>(work: () => T): T => {
    const startedAt = performance.now();
    try {
      guard?.assertWritable();
      const result = transaction.immediate(work) as T;
      guard?.written();
      observe(performance.now() - startedAt);
      return result;
    } catch (error) {
      const failure = failureOf(error);
      observe(performance.now() - startedAt, failure);
      throw failure;
    }
  };

  const read = <T>(work: () => T): T => {
    try {
      return transaction.deferred(work) as T;
    } catch (error) {
      throw failureOf(error);
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
      guard?.assertWritable();
      sql.pragma('wal_checkpoint(PASSIVE)');
      guard?.checkpointed();
    } catch (error) {
      throw failureOf(error);
    }
  };

  return withOperations({
    sql,
    prepareValue: (source) => sql.prepare(source).pluck() as never,
    firstStepHoldMs,
    replacements: { count: 0 },
    write,
    read,
    accountId,
    knownAccountId,
    clearAccountIds: () => ids.clear(),
    checkpoint,
  });
};

/** An operation of a store on the rows of an account. */
type OfAccount<A extends unknown[], T> = (account: string, ...values: A) => Promise<T>;

/** Builds operations from SQL whose first parameter is the key of the account's rows, or from functions with this key. */
interface Operations {
  /** Runs `read` on one snapshot of the store. */
  readOf<A extends unknown[], T>(read: (accountId: number, ...values: A) => T): OfAccount<A, T>;
  /** Reads rows, or the first row. */
  rowsOf<A extends unknown[], T>(source: string, fromRow?: (row: never) => T): OfAccount<A, T[]>;
  rowOf<A extends unknown[], T>(source: string, fromRow?: (row: never) => T): OfAccount<A, T | undefined>;
  /** Runs `work` in one transaction. */
  writeOf<A extends unknown[]>(work: (accountId: number, ...values: A) => unknown): OfAccount<A, void>;
  /** The same for rows that are found without the key of an account. */
  reading<A extends unknown[], T>(read: (...values: A) => T): (...values: A) => Promise<T>;
  writing<A extends unknown[]>(work: (...values: A) => unknown): (...values: A) => Promise<void>;
}

export type Database = Transactions & Operations;

export const withOperations = (db: Transactions): Database => {
  const readOf: Operations['readOf'] =
    (read) =>
    async (account, ...values) =>
      db.read(() => read(db.knownAccountId(account), ...values));
  return {
    ...db,
    readOf,
    rowsOf: (source, fromRow = (row) => row) => {
      const statement = db.sql.prepare<unknown[], never>(source);
      return readOf((...values) => statement.all(...values).map((row) => fromRow(row)));
    },
    rowOf: (source, fromRow = (row) => row) => {
      const statement = db.sql.prepare<unknown[], never>(source);
      return readOf((...values) => {
        const row = statement.get(...values);
        return row === undefined ? undefined : fromRow(row);
      });
    },
    writeOf:
      (work) =>
      async (account, ...values) => {
        const accountId = db.accountId(account);
        db.write(() => work(accountId, ...values));
      },
    reading:
      (read) =>
      async (...values) =>
        db.read(() => read(...values)),
    writing:
      (work) =>
      async (...values) => {
        db.write(() => work(...values));
      },
  };
};
