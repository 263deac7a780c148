// Stores which of the provider's customers each account belongs to.

import type { AccountStore, MovedAccount } from '../../account-store.ts';
import type { Database } from '../file/database.ts';

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
