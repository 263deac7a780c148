// Finds customers whose accounts, alone or together, may exceed the provider's limit of requests.

import type { Secret } from '../../lib/secret.ts';

interface PacedAccount {
  readonly name: string;
  readonly base_url: string;
  readonly public_key: Secret;
  readonly requests_per_second: number;
}

/** The provider's default limit for each customer, by its documentation. */
const CUSTOMER_LIMIT = 10;

/**
 * Returns a warning for the first account of each customer whose accounts may send more. All accounts of the file count,
 * also those of other shards. The file shows only by the public key that two accounts belong to one customer.
 */
export const sharedPaceWarnings = (
  accounts: readonly PacedAccount[],
): { readonly path: readonly (string | number)[]; readonly message: string }[] => {
  const byCustomer = Map.groupBy(accounts, customerOf).values();
  return [...byCustomer].flatMap((group) => {
    const total = group.reduce((sum, account) => sum + account.requests_per_second, 0);
    const [first] = group;
    if (!first || total <= CUSTOMER_LIMIT) return [];
    const path = ['accounts', accounts.indexOf(first), 'requests_per_second'];
    return [{ path, message: describe(group, total) }];
  });
};

const customerOf = ({ base_url, public_key }: PacedAccount): string =>
  JSON.stringify([new URL(base_url).host, public_key.reveal()]);

const describe = (group: readonly PacedAccount[], total: number): string => {
  const names = group.map(({ name }) => name).join(', ');
  const who =
    group.length === 1
      ? `the account ${names} may send`
      : `the accounts ${names} have the same public key, and together they may send`;
  return `${who} ${total} requests a second, but the provider allows ${CUSTOMER_LIMIT} a second for each customer. Lower requests_per_second, unless the provider allows you more`;
};
