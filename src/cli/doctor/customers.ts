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
    const subject = `${account.name}: customer`;
    if (customerId === null) {
      yield unknown(subject, 'not known, because no proxy user names a customer');
      continue;
    }
    const stored = await store?.accounts.customer(account.name);
    const duplicate = accounts
      .slice(0, index)
      .find((other) => isSameCustomer(other, { account, customerId }));
    if (stored !== undefined && stored !== customerId) {
      const found = `the keys belong to customer ${customerId}, the history in the store to customer ${stored}`;
      yield failed(subject, found, 'give the new customer an account name of its own');
    } else if (duplicate) {
      const found = `the keys belong to customer ${customerId}, as those of ${duplicate.account.name}: all is polled twice, at one pace`;
      yield warning(subject, found, 'take one of the two accounts out, or its collectors');
    } else {
      yield ok(
        subject,
        `${customerId}${stored === undefined ? ', with no history of it in the store' : ''}; no other account is known to use it`,
      );
    }
  }
}

/** Compares the provider's host too, because customers of two providers may have the same number. */
const isSameCustomer = (one: AccountCustomer, other: AccountCustomer): boolean =>
  one.customerId === other.customerId &&
  new URL(one.account.base_url).host === new URL(other.account.base_url).host;
