// Reads from the store what estimates would otherwise assume: the numbers of users and of proxies of each account.

import { existsSync } from 'node:fs';
import type { KnownNumbers } from '../collectors/collector.ts';
import { probesAccount } from '../collectors/context.ts';
import { vantageOptions } from '../collectors/probes/vantage.ts';
import type { SourceOptions } from '../collectors/proxy-sources/entries.ts';
import { sourcesOf } from '../collectors/proxy-sources/sources.ts';
import type { Account, Settings } from '../daemon/settings.ts';
import { StoreError } from '../store/errors.ts';
import { openSqliteStoreReadOnly } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';

export type NumbersByAccount = ReadonlyMap<string, KnownNumbers>;

/** Returns nothing if there is no store, or with `problem` if it cannot be read. */
export const readKnownNumbers = async ({
  accounts,
  store: { path },
}: Settings): Promise<{ readonly numbers: NumbersByAccount; readonly problem?: string }> => {
  const numbers = new Map<string, KnownNumbers>();
  if (!existsSync(path)) return { numbers };
  try {
    using store = openSqliteStoreReadOnly(path);
    for (const account of accounts) numbers.set(account.name, await numbersOf(account, store));
    return { numbers };
  } catch (error) {
    if (error instanceof StoreError) return { numbers: new Map(), problem: error.message };
    throw error;
  }
};

const numbersOf = async (account: Account, store: Store): Promise<KnownNumbers> => {
  const { name, proxy_tests, probes } = account;
  const hasListed = async ({ listing }: Pick<Store['users'], 'listing'>): Promise<boolean> =>
    (await listing(name)).countedAt !== null;
  return {
    ...((await hasListed(store.users)) && { users: await countPages(store.users, name) }),
    ...((await hasListed(store.inventory)) && { proxies: await countPages(store.inventory, name) }),
    tested: proxy_tests ? await foundIn(store, name, proxy_tests) : new Map(),
    probed: probes ? await foundIn(store, probesAccount(name), vantageOptions(probes, account)) : new Map(),
  };
};

const PAGE_SIZE = 1_000;

const countPages = async (
  {
    page,
  }: { page(account: string, after: string, limit: number): Promise<readonly { readonly id: string }[]> },
  account: string,
): Promise<number> => {
  let count = 0;
  for (let after = ''; ; ) {
    const items = await page(account, after, PAGE_SIZE);
    count += items.length;
    after = items.at(-1)?.id ?? '';
    if (items.length < PAGE_SIZE) return count;
  }
};

/** A source without proxies may not have been read yet, so its number is not known. */
const foundIn = async (
  { sourceProxies }: Store,
  account: string,
  options: SourceOptions,
): Promise<ReadonlyMap<string, number>> => {
  const found = new Map<string, number>();
  for (const { name } of sourcesOf(options)) {
    const { length } = await sourceProxies.of(account, name);
    if (length > 0) found.set(name, length);
  }
  return found;
};
