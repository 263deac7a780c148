// Whether accounts and what is stored of them are each of one customer alone.

import type { Account } from '../../daemon/settings.ts';
import type { Store } from '../../store/store.ts';
import { type Finding, failed, ok, unknown, warning } from './finding.ts';

/** An account and the customer that its keys belong to; null while that is not known. */
export interface Owned {
  readonly account: Account;
  readonly customerId: number | null;
}

/** `store` is undefined where there is none to be read. */
export async function* checkCustomers(
  owned: readonly Owned[],
  store: Store | undefined,
): AsyncGenerator<Finding> {
  for (const [index, { account, customerId }] of owned.entries()) {
    const subject = `${account.name}: customer`;
    if (customerId === null) {
      yield unknown(subject, 'not known, because no proxy user names a customer');
      continue;
    }
    const stored = await store?.accounts.customer(account.name);
    const twin = owned.slice(0, index).find((other) => isSame(other, { account, customerId }));
    if (stored !== undefined && stored !== customerId) {
      const found = `the keys belong to customer ${customerId}, the history in the store to customer ${stored}`;
      yield failed(subject, found, 'give the new customer an account name of its own');
    } else if (twin) {
      const found = `the keys belong to customer ${customerId}, as those of ${twin.account.name}: all is polled twice, at one pace`;
      yield warning(subject, found, 'take one of the two accounts out, or its collectors');
    } else {
      yield ok(
        subject,
        `${customerId}${stored === undefined ? ', with no history of it in the store' : ''}; no other account is known to use it`,
      );
    }
  }
}

/** Customers of two providers may have one number. */
const isSame = (one: Owned, other: Owned): boolean =>
  one.customerId === other.customerId &&
  new URL(one.account.base_url).host === new URL(other.account.base_url).host;
