// Tests that the store keeps the id by which the inventory last knew a tested proxy.

import { expect, test } from 'vitest';
import { type SourceProxy, TESTED_PROXIES } from '../../src/store/source-proxy-store.ts';
import { START, TestStore } from './support.ts';

const ACCOUNT = 'main';

const tested = (id: string, values: Partial<SourceProxy> = {}): SourceProxy => ({
  ...{ id, name: id, providerId: null, productType: 'isp', protocol: 'http' },
  ...{ host: '192.0.2.1', port: 8_000, username: 'alice', facts: null },
  ...values,
});

/** Stores tested proxies, of which the inventory knows `fr-1` as `one`. */
const fill = async ({ store: { sourceProxies } }: TestStore): Promise<void> => {
  const proxies = [tested('fr-1'), tested('fr-2', { providerId: 'two' })];
  await sourceProxies.save(ACCOUNT, TESTED_PROXIES, proxies, [], START);
  await sourceProxies.saveInventoryIds(ACCOUNT, TESTED_PROXIES, new Map([['fr-1', 'one']]));
};

const idOf = async ({ store }: TestStore, id: string): Promise<string | null | undefined> =>
  (await store.sourceProxies.find(ACCOUNT, TESTED_PROXIES, id))?.inventoryId;

test('the id survives a restart and a change of the proxy, but not another endpoint', async () => {
  using files = new TestStore();
  await fill(files);
  files.restart();
  expect([await idOf(files, 'fr-1'), await idOf(files, 'fr-2')]).toEqual(['one', 'two']);
  const save = (values: Partial<SourceProxy>) =>
    files.store.sourceProxies.save(ACCOUNT, TESTED_PROXIES, [tested('fr-1', values)], [], START);
  await save({ username: 'bob' });
  expect(await idOf(files, 'fr-1')).toBe('one');
  await save({ host: '192.0.2.9' });
  expect(await idOf(files, 'fr-1')).toBeNull();
});

test('the tested proxies of an id of the inventory are found, and only among the tested ones', async () => {
  using files = new TestStore();
  await fill(files);
  const { sourceProxies } = files.store;
  await sourceProxies.save(ACCOUNT, 'a service', [tested('fr-3', { providerId: 'three' })], [], START);
  const found = async (id: string) =>
    (await sourceProxies.withInventoryId(ACCOUNT, TESTED_PROXIES, id)).map((each) => each.id);
  expect([await found('one'), await found('two'), await found('three')]).toEqual([['fr-1'], ['fr-2'], []]);
});
