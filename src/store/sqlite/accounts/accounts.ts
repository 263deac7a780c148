// Stores an account's customer, the state of its endpoints, its last runs, and whether it was moved out.

import type SQLite from 'better-sqlite3';
import type {
  AccountStore,
  EndpointStore,
  FinishedRun,
  MovedAccount,
  RunState,
  RunStore,
  StoredEndpoint,
} from '../../account-store.ts';
import { StoreError } from '../../errors.ts';
import type { Database } from '../file/database.ts';
import { asStoreError } from '../file/errors.ts';
import { openAnyVersion } from '../file/open.ts';
import { describeRow, plain } from '../row.ts';

interface Customers {
  readonly known: number | null;
  /** Another customer that answered since; null while the known one answers. */
  readonly found: number | null;
}

const NO_CUSTOMERS: Customers = { known: null, found: null };
const MOVED_OUT = 'SELECT account, at FROM account_move WHERE is_out ORDER BY account';

export const createAccountStore = (db: Database): AccountStore => {
  const read = db.sql.prepare<[string], Customers>(
    'SELECT customer_id AS known, conflicting_customer_id AS found FROM account WHERE name = ?',
  );
  const put = db.sql.prepare('UPDATE account SET customer_id = ?, conflicting_customer_id = ? WHERE id = ?');
  const customersOf = (account: string): Customers => db.read(() => read.get(account) ?? NO_CUSTOMERS);
  return {
    claimCustomer: async (account, customerId) => {
      const before = customersOf(account);
      const known = before.known ?? customerId;
      const found = known === customerId ? null : customerId;
      if (before.known === known && before.found === found) return known;
      const accountId = db.accountId(account);
      db.write(() => put.run(known, found, accountId));
      return known;
    },
    movedOut: async () => db.read(() => db.sql.all<MovedAccount>(MOVED_OUT)),
    customer: async (account) => customersOf(account).known ?? undefined,
    conflict: async (account) => {
      const { known, found } = customersOf(account);
      return known === null || found === null ? undefined : { known, found };
    },
  };
};

const ENDPOINT = describeRow<StoredEndpoint>(
  plain('endpoint lastSuccessAt rejectedSince rejectedStatus refusedSince pausedUntil'),
);

export const createEndpointStore = (db: Database): EndpointStore => {
  const { sql } = db;
  const endpointsOf = sql.prepare<[number], StoredEndpoint>(
    `SELECT ${ENDPOINT.selected} FROM endpoint WHERE account_id = ? ORDER BY endpoint`,
  );
  const unreachedOf = sql.prepare<[number], { since: number | null; newestAt: number | null }>(
    'SELECT unreached_since AS since, unreached_at AS newestAt FROM account WHERE id = ?',
  );
  const put = sql.prepare(ENDPOINT.insert('endpoint'));
  const putUnreached = sql.prepare('UPDATE account SET unreached_since = ?, unreached_at = ? WHERE id = ?');
  return {
    load: db.readOf((accountId) => {
      const { since = null, newestAt = null } = unreachedOf.get(accountId) ?? {};
      return {
        endpoints: endpointsOf.all(accountId),
        unreached: since === null || newestAt === null ? null : { since, newestAt },
      };
    }),
    save: db.writeOf((accountId, { endpoints, unreached }) => {
      sql.run('DELETE FROM endpoint WHERE account_id = ?', accountId);
      for (const endpoint of endpoints) put.run({ accountId, ...endpoint });
      putUnreached.run(unreached?.since ?? null, unreached?.newestAt ?? null, accountId);
    }),
  };
};

/** After a longer gap between runs, `watched_since` starts again. */
const MAX_GAP_INTERVALS = 3;

/** The columns that a run sets. A failed run keeps the items and parts of the last run that did not fail. */
const RUN = describeRow<Omit<FinishedRun, 'account' | 'isSuccess' | 'pass'>>(
  plain('collector startedAt finishedAt result errorKind errorMessage intervalMs skippedItems failingParts'),
  ['collector', 'skippedItems', 'failingParts'],
);
const STATE = describeRow<Pick<RunState, 'lastSuccessAt' | 'failures' | 'watchedSince' | 'wholeListingMs'>>(
  plain('lastSuccessAt failures watchedSince wholeListingMs'),
);

/** What shows that the store has new data: see `createEpochs`. */
interface Progress {
  advance(): void;
  updateSidecar(): void;
}

export const createRunStore = (db: Database, epochs: Progress): RunStore => {
  const upsert = db.sql.prepare(
    `INSERT INTO run (account_id, ${RUN.columns}, last_success_at, failures, watched_since, whole_listing_ms)
     VALUES (@accountId, ${RUN.values}, iif(@isSuccess, @finishedAt, NULL), iif(@result = 'failed', 1, 0), @startedAt,
       coalesce(@passMs, 0))
     ON CONFLICT DO UPDATE SET ${RUN.updates},
       last_success_at = coalesce(excluded.last_success_at, last_success_at),
       failures = iif(excluded.failures = 0, 0, failures + 1),
       skipped_items = iif(excluded.failures = 0, excluded.skipped_items, skipped_items),
       failing_parts = iif(excluded.failures = 0, excluded.failing_parts, failing_parts),
       whole_listing_ms = CASE WHEN @passMs IS NULL THEN whole_listing_ms WHEN @isCompletePass THEN @passMs
         ELSE max(whole_listing_ms, @passMs) END`,
  );
  const watch = db.sql.prepare(
    `UPDATE run SET watched_since = @now WHERE account_id = @accountId AND collector = @collector
       AND finished_at < @now - ${MAX_GAP_INTERVALS} * interval_ms`,
  );
  return {
    record: async ({ account, isSuccess, pass, ...run }) => {
      const accountId = db.accountId(account);
      db.write(() => {
        const isCompletePass = Number(pass?.isComplete ?? false);
        const passMs = pass?.ms ?? null;
        upsert.run({ accountId, isSuccess: Number(isSuccess), passMs, isCompletePass, ...run });
        epochs.advance();
      });
      // What the run stored is shown next. From now on, an older file would show less.
      epochs.updateSidecar();
    },
    watch: async (account, collector, now) => {
      const accountId = db.knownAccountId(account);
      db.write(() => watch.run({ accountId, collector, now }));
    },
    states: db.rowsOf(
      `SELECT account.name AS account, ${RUN.selected}, ${STATE.selected}
       FROM run JOIN account ON account.id = account_id WHERE account_id = ? ORDER BY collector`,
      (run: Omit<RunState, 'isSuccess'>) => ({
        ...run,
        isSuccess: run.result !== 'failed' && run.lastSuccessAt === run.finishedAt,
      }),
    ),
  };
};

export interface StoredAccounts {
  /** The customers that the history belongs to, by the name of the account. */
  readonly customers: ReadonlyMap<string, number>;
  readonly movedOut: readonly MovedAccount[];
}

/** Throws StoreError, also if there is no store. */
export const readStoredAccounts = (path: string): StoredAccounts => {
  using sql = openAnyVersion(path);
  try {
    const customers = sql
      .prepare<[], [string, number]>('SELECT name, customer_id FROM account WHERE customer_id IS NOT NULL')
      .raw();
    const hasMoves = sql.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'account_move'").get();
    return {
      customers: new Map(customers.all()),
      // Earlier versions cannot move accounts.
      movedOut: hasMoves ? sql.prepare<[], MovedAccount>(MOVED_OUT).all() : [],
    };
  } catch (error) {
    throw asStoreError(error, path);
  }
};

/**
 * Returns SQL that is true for rows of accounts that this store runs. The rows of the others stay, but nothing of them is
 * shown or sent. `name` is SQL for the name of the row's account.
 */
export const isHere = (name: string): string =>
  `NOT EXISTS (SELECT 1 FROM account_move WHERE account_move.account = ${name} AND is_out)`;

export interface FileMove {
  readonly account: string;
  readonly moveId: string;
  /** When the account was moved out (ms). */
  readonly at: number;
}

/** Finds the move that the open database is the file of: it has rows of this account only. */
const moveOf = (sql: SQLite.Database): FileMove | undefined => {
  const [move, ...others] = sql
    .prepare<[], FileMove>(
      `SELECT account, move_id AS moveId, at FROM account_move WHERE is_out
       AND NOT EXISTS (SELECT 1 FROM account WHERE name NOT IN (account_move.account, 'probes/' || account_move.account))`,
    )
    .all();
  return others.length === 0 ? move : undefined;
};

/** Returns the move that the open copy of `file` is for. Throws StoreError if it is no file of a moved account. */
export const moveIn = (sql: SQLite.Database, file: string): FileMove => {
  const move = moveOf(sql);
  if (move) return move;
  throw new StoreError(
    'failed',
    `${file}: this file is not a moved account. Give a file that "proxywatch store backup --account" wrote. To replace the whole store with a backup, leave out --merge`,
  );
};

/** Whether the open database is the file of a moved account, which must not replace a whole store. */
export const isMoveFile = (sql: SQLite.Database): boolean => moveOf(sql) !== undefined;
