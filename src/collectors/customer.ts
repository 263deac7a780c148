// Guards an account's history against the answers of another customer.

import { ProviderError } from '../provider/errors.ts';
import type { ReadContext } from './collector.ts';

/**
 * Throws ProviderError of kind auth when the keys belong to another customer than the one whose data is stored:
 * another customer's ledger would be mixed in.
 */
export const checkCustomer = async (
  { account, store }: Pick<ReadContext<unknown>, 'account' | 'store'>,
  endpoint: string,
  customerIds: Iterable<number>,
): Promise<void> => {
  for (const customerId of new Set(customerIds)) {
    const known = await store.accounts.claimCustomer(account.name, customerId);
    if (known === customerId) continue;
    const message = `the keys of account "${account.name}" belong to customer ${customerId}, its history to customer ${known}: give the new customer an account name of its own`;
    throw new ProviderError('auth', endpoint, message);
  }
};
