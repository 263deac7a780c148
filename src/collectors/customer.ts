// Guards an account's history against the answers of another customer.

import type { ProviderClient } from '../provider/client.ts';
import { CUSTOMER_ENDPOINT, readCustomer } from '../provider/customer.ts';
import { ProviderError } from '../provider/errors.ts';
import type { ReadContext, RunContext } from './context.ts';

/** Meets every request of these keys: what they are answered must not be mixed in. */
export class OtherCustomerError extends ProviderError {}

type Context = Pick<ReadContext<unknown>, 'account' | 'store'>;

/**
 * Throws ProviderError of kind auth when the keys belong to another customer than the one whose data is stored:
 * another customer's ledger would be mixed in. It is remembered for every collector until answers are right again;
 * one that names no customer proves nothing, and is refused while it is.
 */
export const checkCustomer = async (
  { account, store }: Context,
  endpoint: string,
  customerIds: Iterable<number>,
): Promise<void> => {
  const { accounts } = store;
  for (const id of new Set(customerIds)) {
    // A known customer's id beside another's makes nothing right.
    if ((await accounts.claimCustomer(account.name, id)) !== id) break;
  }
  const conflict = await accounts.conflict(account.name);
  if (conflict === undefined) return;
  const { known, found } = conflict;
  const message = `the keys of account "${account.name}" belong to customer ${found}, its history to customer ${known}: give the new customer an account name of its own`;
  throw new OtherCustomerError('auth', endpoint, message);
};

/** The keys that were asked about, by client: a daemon asks once for each pair. */
const asked = new WeakMap<object, number>();
/** Errors that would come again: these keys may not list users. */
const LASTING = new Set(['auth', 'forbidden', 'rejected', 'not_found']);

/**
 * The same for answers that never name a customer: where the keys are new to the daemon, or were another
 * customer's, it asks whose they are. Call it before asking, and before storing, as keys change while we run.
 */
export const verifyCustomer = async (
  context: Context & Pick<RunContext<unknown>, 'client' | 'signal'>,
): Promise<void> => {
  const { account, client, signal, store } = context;
  const { keysVersion } = client;
  const conflict = await store.accounts.conflict(account.name);
  if (conflict === undefined && asked.get(client.root) === keysVersion) return;
  const customerIds = await ownersOf(client, signal, keysVersion);
  await checkCustomer(context, CUSTOMER_ENDPOINT, customerIds);
};

const ownersOf = async (
  client: ProviderClient,
  signal: AbortSignal,
  keysVersion: number,
): Promise<number[]> => {
  try {
    const customerId = await readCustomer(client, signal);
    asked.set(client.root, keysVersion);
    return customerId === null ? [] : [customerId];
  } catch (error) {
    // That nobody tells must not keep a collector from what it is for, whose own answers say what is wrong.
    if (!(error instanceof ProviderError)) throw error;
    if (LASTING.has(error.kind)) asked.set(client.root, keysVersion);
    return [];
  }
};
