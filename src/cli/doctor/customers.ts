// Checks that each account and its stored history belong to one customer, and that no two accounts share one.

import type { Account } from '../../daemon/settings.ts';
import type { Store } from '../../store/store.ts';
import { type CheckResult, failed, ok, unknown, warning } from './check-result.ts';

/** An account and the customer that its keys belong to; null if no answer names the customer. */
export interface AccountCustomer {
  readonly account: Account;
  readonly customerId: number | null;
}

/** The store to read, or why doctor cannot read it. Both are absent if there is no store yet. */
export interface StoredHistory {
  readonly store?: Store;
  readonly obstacle?: Obstacle;
}

export interface Obstacle {
  readonly found: string;
  readonly advice?: string;
}

export async function* checkCustomers(
  accounts: readonly AccountCustomer[],
  { store, obstacle }: StoredHistory,
): AsyncGenerator<CheckResult> {
  for (const [index, account] of accounts.entries()) {
    const stored = await store?.accounts.customer(account.account.name);
    const [before, after] = [accounts.slice(0, index), accounts.slice(index + 1)].map((others) =>
      others.find((other) => isSameCustomer(other, account)),
    );
    yield findingOn(account, { stored, obstacle, before, after });
  }
}

interface Comparison {
  /** The customer of the stored history; undefined if there is none. */
  readonly stored: number | undefined;
  readonly obstacle: Obstacle | undefined;
  /** Accounts of the same customer, before and after this one in the configuration. */
  readonly before: AccountCustomer | undefined;
  readonly after: AccountCustomer | undefined;
}

/** Of two accounts with one customer, only the second gets a warning. */
const findingOn = (
  { account: { name }, customerId }: AccountCustomer,
  { stored, obstacle, before, after }: Comparison,
): CheckResult => {
  if (customerId === null) return unknown(name, UNNAMED);
  const keys = `the keys belong to customer ${customerId}`;
  if (stored !== undefined && stored !== customerId)
    return failed(name, `${keys}, but the history in the store belongs to customer ${stored}`, RENAME);
  if (before) return warning(name, `customer ${customerId}; ${usedBy(before)}. ${READ_TWICE}`, REMOVE_ONE);
  if (obstacle) return unknown(name, `${keys}; ${obstacle.found}`, obstacle.advice);
  const history = stored === undefined ? '; the store has no history of it yet' : '';
  return ok(name, `customer ${customerId}${history}; ${usedBy(after)}`);
};

const UNNAMED = 'the customer is not known, because the account has no proxy user that names it';
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
