// Keeps the answers of another customer out of an account's history.

import type { ProviderClient } from '../provider/client.ts';
import { ProviderError } from '../provider/errors.ts';
import { CUSTOMER_ENDPOINT, readCustomer } from '../provider/resources/proxy-users.ts';
import type { ReadContext, RunContext } from './context.ts';

/** The error of keys that belong to another customer. It concerns every request, because no answer may be stored. */
export class OtherCustomerError extends ProviderError {}

type Context = Pick<ReadContext<unknown>, 'account' | 'store'>;

/**
 * Throws OtherCustomerError (kind auth) when the keys belong to another customer than the one whose data is stored,
 * because another customer's data would be mixed in. The store keeps the conflict, so every collector refuses answers
 * until one names the right customer. An answer that names no customer proves nothing and does not end the conflict.
 */
export const checkCustomer = async (
  { account, store }: Context,
  endpoint: string,
  customerIds: Iterable<number>,
): Promise<void> => {
  const { accounts } = store;
  for (const id of new Set(customerIds)) {
    // The known customer's id does not end the conflict if another customer's id is in the same answer.
    if ((await accounts.claimCustomer(account.name, id)) !== id) break;
  }
  const conflict = await accounts.conflict(account.name);
  if (conflict === undefined) return;
  const { known, found } = conflict;
  const message = `the keys of account "${account.name}" belong to customer ${found}, but its history belongs to customer ${known}; give the account of the new customer another name`;
  throw new OtherCustomerError('auth', endpoint, message);
};

/** The version of the keys whose customer was read, by client. The daemon asks once for each pair of keys. */
const checkedKeyVersions = new WeakMap<object, number>();
/** Errors that a retry would not remove, because these keys may not list users. */
const PERMANENT_ERRORS = new Set(['auth', 'forbidden', 'rejected', 'not_found']);

/**
 * Checks the customer for answers that never name one. If the keys are new to the daemon, or belonged to another
 * customer, it asks the provider for their customer. Call it before a request and again before storing the answer,
 * because the keys can change while the daemon runs.
 */
export const verifyCustomer = async (
  context: Context & Pick<RunContext<unknown>, 'client' | 'signal'>,
): Promise<void> => {
  const { account, client, signal, store } = context;
  const { keysVersion } = client;
  const conflict = await store.accounts.conflict(account.name);
  if (conflict === undefined && checkedKeyVersions.get(client.root) === keysVersion) return;
  const customerIds = await readCustomerIds(client, signal, keysVersion);
  await checkCustomer(context, CUSTOMER_ENDPOINT, customerIds);
};

const readCustomerIds = async (
  client: ProviderClient,
  signal: AbortSignal,
  keysVersion: number,
): Promise<number[]> => {
  try {
    const customerId = await readCustomer(client, signal);
    checkedKeyVersions.set(client.root, keysVersion);
    return customerId === null ? [] : [customerId];
  } catch (error) {
    // A collector must still work if its customer cannot be read. Its own requests report what is wrong.
    if (!(error instanceof ProviderError)) throw error;
    if (PERMANENT_ERRORS.has(error.kind)) checkedKeyVersions.set(client.root, keysVersion);
    return [];
  }
};
