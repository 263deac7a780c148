// Tests what a shard answers about accounts that it does not run.

import { expect, it } from 'vitest';
import type { DaemonView } from '../../src/http/daemon-view.ts';
import { startServer } from './support.ts';

const URLS = ['https://a.example.com/', 'https://b.example.com/'];

const viewWith = (urls: readonly string[], running: readonly string[] = ['main']): Partial<DaemonView> => ({
  accounts: () => running,
  shards: () => ({
    ...{ index: 0, count: 2, urls },
    owners: [
      { account: 'main', shard: 0, isPinned: false },
      { account: 'moved', shard: 0, isPinned: false },
      { account: 'shop', shard: 1, isPinned: true },
    ],
  }),
});

/** With the status of the answer. */
const PATHS: [number, (account: string) => string][] = [
  [400, (account) => `/metrics?account=${account}`],
  [400, (account) => `/api/v1/users?account=${account}`],
  [404, (account) => `/api/v1/accounts/${account}/users/alice`],
  [404, (account) => `/?account=${account}`],
];

const errorOf = async (view: Partial<DaemonView>, path: string): Promise<[number, string]> => {
  await using server = await startServer(view);
  const answer = await fetch(server.url + path, { redirect: 'manual' });
  return [answer.status, ((await answer.json()) as { error: string }).error];
};

it.each(PATHS)(
  'an answer %i says where the account is, or that it is nowhere (%s)',
  async (status, pathOf) => {
    const textFor = (account: string, view = viewWith([])) => errorOf(view, pathOf(account));
    expect(await textFor('shop')).toEqual([status, 'account: shard 1 runs "shop"']);
    expect(await textFor('moved')).toEqual([
      status,
      'account: "moved" was moved out of the store of this daemon, so this daemon does not run it',
    ]);
    expect(await textFor('other')).toEqual([status, 'account: "other" is not known; expected one of main']);
    expect(await textFor('other', viewWith([], []))).toEqual([
      status,
      'account: "other" is not known. This daemon has no accounts',
    ]);
  },
);

it('a silence and a probe of an account of another shard are refused', async () => {
  await using server = await startServer(viewWith(URLS));
  const body = JSON.stringify({ account: 'shop', for: '1h', comment: 'maintenance' });
  const headers = { 'content-type': 'application/json' };
  for (const answer of [
    await fetch(`${server.url}/api/v1/silences`, { method: 'POST', headers, body }),
    await fetch(`${server.url}/probe?account=shop&proxy=fr-1&url=shop`),
  ])
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: 'account: shard 1 runs "shop": https://b.example.com/' },
    ]);
});

it('an answer has the address of the other shard if it is configured', async () => {
  const error = 'account: shard 1 runs "shop": https://b.example.com/';
  expect(await errorOf(viewWith(URLS), '/metrics?account=shop')).toEqual([400, error]);
  expect(await errorOf(viewWith(URLS), '/api/v1/users?account=main&account=shop')).toEqual([400, error]);
});
