// Reads the accounts of a store that any released version wrote, without upgrading it.

import type { MovedAccount } from '../../account-store.ts';
import { openAnyVersion } from '../file/open.ts';
import { asStoreError } from '../file/sqlite-error.ts';

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
