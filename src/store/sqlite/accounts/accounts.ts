// Stores which of the provider's customers each account belongs to, and the state of its endpoints.

import type { AccountStore, EndpointStore, MovedAccount, StoredEndpoint } from '../../account-store.ts';
import type { Database } from '../file/database.ts';
import { asStoreError } from '../file/errors.ts';
import { openAnyVersion } from '../file/open.ts';

interface Customers {
  readonly known: number | null;
  /** Another customer that answered since; null while the known one answers. */
  readonly found: number | null;
}

const NO_CUSTOMERS: Customers = { known: null, found: null };

export const createAccountStore = (db: Database): AccountStore => {
  const read = db.sql.prepare<[string], Customers>(
    'SELECT customer_id AS known, conflicting_customer_id AS found FROM account WHERE name = ?',
  );
  const put = db.sql.prepare('UPDATE account SET customer_id = ?, conflicting_customer_id = ? WHERE id = ?');
  const movedOut = db.sql.prepare<[], MovedAccount>(
    'SELECT account, at FROM account_move WHERE is_out ORDER BY account',
  );
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
    movedOut: async () => db.read(() => movedOut.all()),
    customer: async (account) => customersOf(account).known ?? undefined,
    conflict: async (account) => {
      const { known, found } = customersOf(account);
      return known === null || found === null ? undefined : { known, found };
    },
  };
};

interface UnreachedRow {
  readonly since: number | null;
  readonly newestAt: number | null;
}

export const createEndpointStore = (db: Database): EndpointStore => {
  const { sql } = db;
  const endpointsOf = sql.prepare<[number], StoredEndpoint>(
    `SELECT endpoint, last_success_at AS lastSuccessAt, rejected_since AS rejectedSince,
       rejected_status AS rejectedStatus, refused_since AS refusedSince, paused_until AS pausedUntil
     FROM endpoint WHERE account_id = ? ORDER BY endpoint`,
  );
  const unreachedOf = sql.prepare<[number], UnreachedRow>(
    'SELECT unreached_since AS since, unreached_at AS newestAt FROM account WHERE id = ?',
  );
  const clear = sql.prepare<[number]>('DELETE FROM endpoint WHERE account_id = ?');
  const put = sql.prepare(
    `INSERT INTO endpoint (account_id, endpoint, last_success_at, rejected_since, rejected_status, refused_since, paused_until)
     VALUES (@accountId, @endpoint, @lastSuccessAt, @rejectedSince, @rejectedStatus, @refusedSince, @pausedUntil)`,
  );
  const putUnreached = sql.prepare<[number | null, number | null, number]>(
    'UPDATE account SET unreached_since = ?, unreached_at = ? WHERE id = ?',
  );
  return {
    load: async (account) =>
      db.read(() => {
        const accountId = db.knownAccountId(account);
        const { since = null, newestAt = null } = unreachedOf.get(accountId) ?? {};
        return {
          endpoints: endpointsOf.all(accountId),
          unreached: since === null || newestAt === null ? null : { since, newestAt },
        };
      }),
    save: async (account, { endpoints, unreached }) => {
      const accountId = db.accountId(account);
      db.write(() => {
        clear.run(accountId);
        for (const endpoint of endpoints) put.run({ accountId, ...endpoint });
        putUnreached.run(unreached?.since ?? null, unreached?.newestAt ?? null, accountId);
      });
    },
  };
};

export interface StoredAccounts {
  /** The customers that the history belongs to, by the name of the account. */
  readonly customers: ReadonlyMap<string, number>;
  readonly movedOut: readonly MovedAccount[];
}

/** Throws StoreError, also if there is no store. */
export const readStoredAccounts = (path: string): StoredAccounts => {
  const sql = openAnyVersion(path);
  try {
    const customers = sql
      .prepare<[], [string, number]>('SELECT name, customer_id FROM account WHERE customer_id IS NOT NULL')
      .raw();
    const hasMoves = sql.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'account_move'").get();
    const movedOut = 'SELECT account, at FROM account_move WHERE is_out ORDER BY account';
    return {
      customers: new Map(customers.all()),
      // Earlier versions cannot move accounts.
      movedOut: hasMoves ? sql.prepare<[], MovedAccount>(movedOut).all() : [],
    };
  } catch (error) {
    throw asStoreError(error, path);
  } finally {
    sql.close();
  }
};
