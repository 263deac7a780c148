// Fills a store with users, proxies, tests and services for the benchmark of the API.

import { DAY, HOUR } from '../src/lib/time.ts';
import type { InventoryProxy } from '../src/store/inventory-store.ts';
import type { Store } from '../src/store/store.ts';
import type { UserObservation } from '../src/store/user-store.ts';
import { proxyId } from './api-server.ts';

const PAGE = 100;
const NOW = Date.now();
const CITIES = ['Paris', 'London', 'Berlin', 'Madrid'];
const COUNTRIES = ['fr', 'gb', 'de', 'es'];

/** `afterListing` is called after each listing of the users, of which there is one a day. */
export const fillLists = async (
  store: Store,
  users: number,
  proxies: number,
  afterListing: () => Promise<unknown> = async () => {},
): Promise<void> => {
  for (const day of [2, 1, 0]) {
    const at = NOW - day * DAY;
    const seen = new Set<string>();
    for (let from = 0; from < users; from += PAGE) {
      const page = numbers(from, users).map((n) => userOf(n, 3 - day));
      for (const { id } of page) seen.add(id);
      await store.users.savePage('main', page, at);
    }
    await store.users.completeListing('main', seen, at, at);
    await afterListing();
  }
  const changed = numbers(0, proxies, proxies).map(inventoryProxy);
  const seenIds = new Set(changed.map(({ id }) => id));
  await store.inventory.open('main', NOW);
  await store.inventory.saveListing('main', { changed, seenIds, startedAt: NOW, now: NOW, isComplete: true });
  await store.tests.open('main', NOW);
  for (const hours of [48, 20, 5, 1, 0]) {
    for (let from = 0; from < proxies; from += PAGE) {
      const ids = numbers(from, proxies).map(proxyId);
      const results = ids.flatMap((proxy, n) =>
        ['shop', 'news'].flatMap((url) =>
          ['london', 'paris'].map((tester) => ({
            ...{ proxy, url, tester, responseTimeMs: 200 },
            ...((from + n + hours) % 17 === 0
              ? { isSuccessful: false, errorSource: 'target', errorCode: 'timeout' }
              : { isSuccessful: true, errorSource: null, errorCode: null }),
          })),
        ),
      );
      await store.tests.saveBatch('main', { results, proxies: ids, now: NOW - hours * HOUR });
    }
  }
};

const numbers = (from: number, end: number, length = PAGE): number[] =>
  Array.from({ length: Math.min(length, end - from) }, (_, index) => from + index);

const userOf = (n: number, day: number): UserObservation => ({
  ...{
    id: `user-${String(n).padStart(6, '0')}`,
    accessType: 'all',
    isDefault: false,
    isDeleted: n % 50 === 0,
  },
  ...{ strictSecurity: false, enforceHttps: true },
  quotas: {
    residential: { limitBytes: n % 4 === 0 ? null : 1e9 * (1 + (n % 7)), usedBytes: 1e7 * day * (n % 200) },
    mobile: { limitBytes: 1e9, usedBytes: 1e6 * day * (n % 300) },
  },
  details: {
    ...{ createdAt: '2026-01-01 12:00:00', updatedAt: '2026-01-02 12:00:00' },
    ...{ addressLimit: 5, addresses: 0, restrictedProxies: 0, restrictedServices: 0 },
  },
});

const inventoryProxy = (n: number): InventoryProxy => ({
  ...{ id: proxyId(n), productType: 'isp', protocol: 'ipv4', status: n % 5 === 0 ? 'available' : 'in_use' },
  ...{ address: `203.0.${n >> 8}.${n & 255}`, httpPort: 8_000, socks5Port: 8_000 },
  ...{ subnetId: `203.0.${n >> 8}.0/24`, asnId: 64_500 + (n % 9), asnName: `Example ${n % 9}` },
  ...{ cityId: n % 4, cityName: CITIES[n % 4] ?? null, countryId: COUNTRIES[n % 4] ?? null },
  ...{ serviceId: `API-${n % 40}`, addressV6: null, addressIdV4: null, addressIdV6: null, subnetIdV6: null },
  ...{ lineItemId: null, updatedAt: NOW - n * 1_000, users: 1, userIds: ['alice'], latitude: 48.8 },
  ...{ longitude: 2.3, examplePostcode: null, timeZone: null, countryName: null },
  ...{ subdivisionId: null, subdivisionName: null },
});
