// Tests how often rankings of users are read from the store.

import { expect, it } from 'vitest';
import { RankingCache } from '../../../src/http/api/users/ranking-cache.ts';
import type { DaemonView } from '../../../src/http/daemon-view.ts';
import type { UseRanking } from '../../../src/store/user-use-store.ts';

const RANKING: UseRanking = {
  first: [],
  users: 0,
  sum: { residential: 0, mobile: 0 },
  deletedUsers: 0,
  labels: [],
};

/** Returns a function that asks the cache for a day of an account, and the readings of the store so far. */
const cacheOf = () => {
  const cache = new RankingCache();
  const view = {} as DaemonView;
  const readings: string[] = [];
  const ranking = async (account: string, { from }: { readonly from: number }): Promise<UseRanking> => {
    readings.push(`${account} ${from}`);
    return RANKING;
  };
  const store = { userUse: { ranking } };
  const read = (account: string, day: number, revision = 'first') =>
    cache.read(view, revision, store, account, { from: day, to: day, types: ['mobile'] });
  return { read, readings };
};

it('a request about many accounts reads each account once in an hour', async () => {
  const { read, readings } = cacheOf();
  const accounts = Array.from({ length: 60 }, (_, n) => `account-${n}`);
  for (let request = 0; request < 3; request += 1) for (const account of accounts) await read(account, 1);
  expect(readings).toEqual(accounts.map((account) => `${account} 1`));
  await read('account-0', 1, 'second');
  expect(readings).toHaveLength(61);
});

it('an account forgets its oldest rankings, and those of no other account', async () => {
  const { read, readings } = cacheOf();
  await read('shop', 1);
  for (let day = 1; day <= 100; day += 1) await read('main', day);
  readings.length = 0;
  for (const day of [100, 99, 1]) await read('main', day);
  await read('shop', 1);
  expect(readings).toEqual(['main 1']);
});
