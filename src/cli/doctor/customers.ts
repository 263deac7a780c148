// Checks that each account and its history belong to one customer of its own, and that the store still has the account.

import type { Account, Settings } from '../../daemon/settings.ts';
import type { StoredAccounts } from '../../store/sqlite/accounts/accounts.ts';
import { type CheckResult, failed, ok, unknown, warning } from './check-result.ts';

/** An account and the customer that its keys belong to; null if no answer names the customer. */
export interface AccountCustomer {
  readonly account: Account;
  readonly customerId: number | null;
}

/** What the store has about accounts, or that it has something which doctor cannot read. */
export type StoredHistory = StoredAccounts | 'unreadable';

/** There is no store yet. */
export const NO_HISTORY: StoredAccounts = { customers: new Map(), movedOut: [] };

export function* checkCustomers(
  accounts: readonly AccountCustomer[],
  history: StoredHistory,
): Generator<CheckResult> {
  for (const [index, account] of accounts.entries()) {
    const stored = history === 'unreadable' ? history : history.customers.get(account.account.name);
    const [before, after] = [accounts.slice(0, index), accounts.slice(index + 1)].map((others) =>
      others.find((other) => isSameCustomer(other, account)),
    );
    yield findingOn(account, { stored, before, after });
  }
}

interface Comparison {
  /** The customer of the stored history; undefined if there is none. */
  readonly stored: number | 'unreadable' | undefined;
  /** Accounts of the same customer, before and after this one in the configuration. */
  readonly before: AccountCustomer | undefined;
  readonly after: AccountCustomer | undefined;
}

/** Of two accounts with one customer, only the second gets a warning. */
const findingOn = (
  { account: { name }, customerId }: AccountCustomer,
  { stored, before, after }: Comparison,
): CheckResult => {
  if (customerId === null) return unknown(name, UNNAMED);
  const keys = `the keys belong to customer ${customerId}`;
  if (typeof stored === 'number' && stored !== customerId)
    return failed(name, `${keys}, but the history in the store belongs to customer ${stored}`, RENAME);
  if (before) return warning(name, `customer ${customerId}; ${usedBy(before)}. ${READ_TWICE}`, REMOVE_ONE);
  if (stored === 'unreadable') return unknown(name, `${keys}; ${CANNOT_READ}`);
  const history = stored === undefined ? '; the store has no history of it yet' : '';
  return ok(name, `customer ${customerId}${history}; ${usedBy(after)}`);
};

const UNNAMED = 'the customer is not known, because the account has no proxy user that names it';
const CANNOT_READ = 'doctor cannot read which customer the history in the store belongs to';
const RENAME = 'Give the account another name, under which a new history begins.';
const READ_TWICE = 'proxywatch reads all data of this customer twice';
const REMOVE_ONE = 'Remove one of the two accounts, or turn off the collectors of one.';

const usedBy = (other: AccountCustomer | undefined): string =>
  other ? `account ${other.account.name} also uses it` : 'no other configured account uses it';

/** Compares the provider's host too, because customers of two providers may have the same number. */
const isSameCustomer = (one: AccountCustomer, other: AccountCustomer): boolean =>
  one.customerId !== null &&
  one.customerId === other.customerId &&
  new URL(one.account.base_url).host === new URL(other.account.base_url).host;

const TAKE_IN =
  'Take it in at its new store with "store restore --merge". If another shard runs it, set PROXYWATCH_SHARD to the shard of this store, or pin the account with the setting shard.';

/** Finds accounts that were moved out of the store: no daemon runs them on it, and nothing shows them. */
export function* checkMovedOut(
  { accounts, store: { path } }: Pick<Settings, 'accounts' | 'store'>,
  history: StoredHistory,
): Generator<CheckResult> {
  if (history === 'unreadable') return;
  for (const { account, at } of history.movedOut)
    if (accounts.some(({ name }) => name === account))
      yield warning(
        account,
        `it was moved out of ${path} at ${new Date(at).toISOString()}, so a daemon on this store does not run it`,
        TAKE_IN,
      );
}
