// Checks that each account and its stored history belong to one customer, and that no two accounts share one.

import type { Account } from '../../daemon/settings.ts';
import type { Store } from '../../store/store.ts';
import { type CheckResult, failed, ok, unknown, warning } from './check-result.ts';

/** An account and the customer that its keys belong to; null if no answer names the customer. */
export interface AccountCustomer {
  readonly account: Account;
  readonly customerId: number | null;
}

/** `store` is undefined if there is no readable store. */
export async function* checkCustomers(
  accounts: readonly AccountCustomer[],
  store: Store | undefined,
): AsyncGenerator<CheckResult> {
  for (const [index, { account, customerId }] of accounts.entries()) {
    if (customerId === null) {
      yield unknown(
        account.name,
        'the customer is not known, because the account has no proxy user that names it',
      );
      continue;
    }
    const stored = await store?.accounts.customer(account.name);
    const duplicate = accounts
      .slice(0, index)
      .find((other) => isSameCustomer(other, { account, customerId }));
    if (stored !== undefined && stored !== customerId) {
      const found = `the keys belong to customer ${customerId}, but the history in the store belongs to customer ${stored}`;
      yield failed(account.name, found, 'Give the account another name, under which a new history begins.');
    } else if (duplicate) {
      const found = `the keys belong to customer ${customerId}, like those of account ${duplicate.account.name}, so everything is polled twice`;
      yield warning(account.name, found, 'Remove one of the two accounts, or turn off its collectors.');
    } else {
      const history = stored === undefined ? '; the store has no history of it yet' : '';
      yield ok(account.name, `customer ${customerId}${history}; no other configured account uses it`);
    }
  }
}

/** Compares the provider's host too, because customers of two providers may have the same number. */
const isSameCustomer = (one: AccountCustomer, other: AccountCustomer): boolean =>
  one.customerId === other.customerId &&
  new URL(one.account.base_url).host === new URL(other.account.base_url).host;
