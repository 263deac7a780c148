// Statements of accounts.

import type { AccountStore } from '../account-store.ts';
import type { Database } from './database.ts';

export const createAccountStore = (db: Database): AccountStore => {
  const customerOf = db.sql
    .prepare<[string], number | null>('SELECT customer_id FROM account WHERE name = ?')
    .pluck();
  const setCustomer = db.sql.prepare('UPDATE account SET customer_id = ? WHERE id = ?');
  const customer = (account: string): number | undefined =>
    db.read(() => customerOf.get(account) ?? undefined);
  return {
    claimCustomer: async (account, customerId) => {
      const known = customer(account);
      if (known !== undefined) return known;
      const accountId = db.accountId(account);
      db.write(() => setCustomer.run(customerId, accountId));
      return customerId;
    },
    customer: async (account) => customer(account),
  };
};
