// Tests the inventory in the store: thousands of proxies, crashes, pages of changes, and retention.

import { expect, test } from 'vitest';
import { DAY, HOUR } from '../../src/lib/time.ts';
import type { InventoryProxy } from '../../src/store/inventory-store.ts';
import type { Store } from '../../src/store/store.ts';
import { START, TestStore } from './support.ts';

const ACCOUNT = 'main';

const proxy = (number: number, address = `192.0.2.${number % 250}`): InventoryProxy => ({
  id: `p${String(number).padStart(5, '0')}`,
  productType: 'isp',
  protocol: 'ipv4',
  status: 'in_use',
  address,
  httpPort: 8_000,
  socks5Port: null,
  subnetId: null,
  asnId: 64_500,
  asnName: null,
  cityId: null,
  cityName: null,
  countryId: 'fr',
  serviceId: null,
  addressV6: '2001:db8::1',
  addressIdV4: 'four',
  addressIdV6: 'six',
  subnetIdV6: '2001:db8::/64',
  lineItemId: null,
  updatedAt: START,
  users: 2,
  userIds: ['alice', 'bob'],
  latitude: 48.86,
  longitude: 2.35,
  examplePostcode: null,
  timeZone: 'Europe/Paris',
  countryName: 'France',
  subdivisionId: 'fr-idf',
  subdivisionName: null,
});

const proxies = (from: number, to: number): InventoryProxy[] =>
  Array.from({ length: to - from }, (_, index) => proxy(from + index));

const storeListing = async (
  { inventory }: Store,
  listed: readonly InventoryProxy[],
  at: number,
): Promise<void> => {
  const changed = await inventory.filterChanged(ACCOUNT, listed);
  const seen = new Set(listed.map(({ id }) => id));
  await inventory.saveListing(ACCOUNT, { changed, seenIds: seen, startedAt: at, now: at, isComplete: true });
};

const maintain = (store: Store, now: number) =>
  store.maintain({
    now,
    retention: { rawMs: 8 * DAY, hourlyMs: 60 * DAY, dailyMs: 400 * DAY },
    accounts: [{ name: ACCOUNT, zone: 'UTC', graphs: [], areUsersPolled: false }],
    signal: new AbortController().signal,
  });

test('thousands of proxies that appear at once are stored, and read page by page', async () => {
  using files = new TestStore();
  const { store } = files;
  await storeListing(store, proxies(0, 10), START);
  await storeListing(store, proxies(0, 3_500), START + HOUR);
  const page = await store.inventory.page(ACCOUNT, 'p03000', 1_000);
  expect(page).toMatchObject(proxies(3_001, 3_500));
  const { appeared } = await store.inventory.counters(ACCOUNT);
  expect(appeared.net).toBe(3_490);
  const first = await store.inventory.changes(ACCOUNT, 0, 3_000);
  const rest = await store.inventory.changes(ACCOUNT, first.at(-1)?.number ?? 0, 3_000);
  expect([...first, ...rest].map(({ proxyId }) => proxyId)).toEqual(proxies(10, 3_500).map(({ id }) => id));
});

test('after a crash stored only part of a listing, the next listing stores the rest', async () => {
  using files = new TestStore();
  await storeListing(files.store, proxies(0, 2_500), START);
  const moved = proxies(0, 2_500).map(({ id }, number) => ({ ...proxy(number, '203.0.113.1'), id }));
  const changed = await files.store.inventory.filterChanged(ACCOUNT, moved);
  const seen = new Set(moved.map(({ id }) => id));
  const stored = files.store.inventory.saveListing(ACCOUNT, {
    isComplete: true,
    ...{ changed, seenIds: seen },
    ...{ startedAt: START + HOUR, now: START + HOUR },
  });
  // The crash happens while the event loop is free after the first slice.
  files.crash();
  await stored.catch(() => {});
  const half = (await files.store.inventory.counters(ACCOUNT)).address.net;
  expect(half).toBeGreaterThan(0);
  expect(half).toBeLessThan(2_500);
  await storeListing(files.store, moved, START + 2 * HOUR);
  expect((await files.store.inventory.counters(ACCOUNT)).address.net).toBe(2_500);
  expect(await files.store.inventory.changes(ACCOUNT, 0, 5_000)).toHaveLength(2_500);
});

test('old changes and services no longer requested are deleted, and numbers are not reused', async () => {
  using files = new TestStore();
  const { store } = files;
  await storeListing(store, proxies(0, 1), START);
  await storeListing(store, proxies(0, 700), START + HOUR);
  await store.services.saveNotFound(ACCOUNT, 'API-1', START);
  await storeListing(store, proxies(0, 701), START + 300 * DAY);
  await store.services.saveNotFound(ACCOUNT, 'API-2', START + 300 * DAY);
  await maintain(store, START + 401 * DAY);
  const [kept, ...others] = await store.inventory.changes(ACCOUNT, 0, 1_000);
  expect([kept?.proxyId, others]).toEqual(['p00700', []]);
  expect((await store.services.attempts(ACCOUNT)).map(({ id }) => id)).toEqual(['API-2']);
  await maintain(store, START + 800 * DAY);
  expect(await store.inventory.changes(ACCOUNT, 0, 1_000)).toEqual([]);
  await storeListing(store, proxies(0, 702), START + 800 * DAY);
  const [next] = await store.inventory.changes(ACCOUNT, 0, 1_000);
  expect(next?.number).toBeGreaterThan(kept?.number ?? Number.NaN);
});

test('the newest changes come first, page by page, each account’s own', async () => {
  using test = new TestStore();
  const { inventory } = test.store;
  await storeListing(test.store, proxies(0, 1), START);
  await storeListing(test.store, proxies(0, 4), START + HOUR);
  await storeListing(test.store, [proxy(0, '192.0.2.200'), ...proxies(1, 4)], START + 2 * HOUR);
  const all = await inventory.changes(ACCOUNT, 0, 100);
  const first = await inventory.newestChanges(ACCOUNT, 2);
  const rest = await inventory.newestChanges(ACCOUNT, 100, { before: first.at(-1) });
  expect(first.map(({ change }) => change)).toEqual(['address', 'appeared']);
  expect([...first, ...rest]).toEqual(all.toReversed());
  expect(await inventory.newestChanges('another', 9)).toEqual([]);
  expect((await inventory.find(ACCOUNT, proxy(0).id))?.address).toBe('192.0.2.200');
  expect(await inventory.find(ACCOUNT, 'unknown')).toBeUndefined();
});

test('values that belong to an address or a city are kept with it, and all others are as last given', async () => {
  using files = new TestStore();
  const { store } = files;
  const known = { ...proxy(1), cityId: 202 };
  await storeListing(store, [known], START);
  const noCity = { latitude: null, longitude: null, timeZone: null, countryName: null, subdivisionId: null };
  const noAddress = {
    address: null,
    addressV6: null,
    addressIdV4: null,
    addressIdV6: null,
    subnetIdV6: null,
  };
  const incomplete = { ...known, ...noAddress, ...noCity, cityId: null, users: null, userIds: null };
  await storeListing(store, [incomplete], START + HOUR);
  const stored = await store.inventory.find(ACCOUNT, known.id);
  expect(stored).toMatchObject({ ...known, users: null, userIds: null });
  const moved = { ...known, updatedAt: START + HOUR, longitude: 2.36 };
  expect(await store.inventory.filterChanged(ACCOUNT, [moved])).toEqual([moved]);
});
