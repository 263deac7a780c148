// Makes the rows with which benchmarks fill a store.

import { DAY, MINUTE } from '../src/lib/time.ts';
import type { InventoryProxy } from '../src/store/inventory-store.ts';
import type { LedgerRow } from '../src/store/ledger-store.ts';
import type { Store } from '../src/store/store.ts';
import type { ProxyTestResult } from '../src/store/test-history-store.ts';
import type { Bucket } from '../src/store/traffic-store.ts';
import type { UserObservation } from '../src/store/user-store.ts';

export const START = Date.parse('2026-03-01T00:00:00Z');
const PAGE = 100;
const RETENTION = { rawMs: 8 * DAY, hourlyMs: 60 * DAY, dailyMs: 400 * DAY };

export const numbered = (kind: string, n: number, digits = 8): string =>
  `${kind}-${String(n).padStart(digits, '0')}`;

export const idsOf = (kind: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => numbered(kind, n));

export function* pagesOf<T>(items: readonly T[], length = PAGE): Generator<T[]> {
  for (let from = 0; from < items.length; from += length) yield items.slice(from, from + length);
}

/** Handles page by page, with a turn of the event loop after each, as after the answer to a request. */
export const eachPage = async <T>(
  items: readonly T[],
  handle: (page: T[]) => Promise<unknown>,
  length = PAGE,
): Promise<void> => {
  for (const page of pagesOf(items, length)) {
    await handle(page);
    await new Promise(setImmediate);
  }
};

export const userOf = (id: string, part: Partial<UserObservation> = {}): UserObservation => ({
  ...{
    id,
    accessType: 'all',
    isDefault: false,
    isDeleted: false,
    strictSecurity: false,
    enforceHttps: false,
  },
  details: {
    ...{ createdAt: '2026-01-01 12:00:00', updatedAt: '2026-01-02 12:00:00' },
    ...{ addressLimit: 5, addresses: 0, restrictedProxies: 0, restrictedServices: 0 },
  },
  quotas: {
    residential: { limitBytes: 1e12, usedBytes: 1e9 },
    mobile: { limitBytes: null, usedBytes: 0 },
  },
  ...part,
});

/** Saves a complete listing of the users. */
export const listUsers = async (
  store: Store,
  ids: readonly string[],
  at: number,
  make: (id: string, index: number) => UserObservation = (id) => userOf(id),
): Promise<void> => {
  await eachPage([...ids.entries()], (page) =>
    store.users.savePage(
      'main',
      page.map(([index, id]) => make(id, index)),
      at,
    ),
  );
  await store.users.completeListing('main', new Set(ids), at, at);
};

export const proxyOf = (id: string, part: Partial<InventoryProxy> = {}): InventoryProxy => ({
  ...{ id, productType: 'isp', protocol: 'ipv4', status: 'in_use', address: '192.0.2.1' },
  ...{ httpPort: 8_000, socks5Port: 8_000, subnetId: '192.0.2.0/24', asnId: 64_500, asnName: 'Example' },
  ...{ cityId: 1, cityName: 'London', countryId: 'gb', serviceId: 'API-1', addressV6: null },
  ...{ addressIdV4: null, addressIdV6: null, subnetIdV6: null, lineItemId: null, updatedAt: START },
  ...{ users: 1, userIds: ['alice'], latitude: 51.5, longitude: 0, examplePostcode: null },
  ...{ timeZone: null, countryName: null, subdivisionId: null, subdivisionName: null },
  ...part,
});

export const ledgerRowOf = (id: string, part: Partial<LedgerRow> = {}): LedgerRow => ({
  ...{ id, reason: 'usage', serviceId: 'API-1', periodDate: '2026-02-01', periodEnd: START, bytes: -1e9 },
  ...{ addedBytes: 0, usedBytes: 1e9, requests: 5, adjustmentId: null, createdAt: null, updatedAt: null },
  ...part,
});

/** Returns a result of each proxy, url and tester. */
export const resultsOf = <R>(
  proxies: readonly string[],
  urls: readonly string[],
  testers: readonly string[],
  resultOf: (proxy: string, url: string, tester: string, index: number) => R,
): R[] =>
  proxies.flatMap((proxy, index) =>
    urls.flatMap((url) => testers.map((tester) => resultOf(proxy, url, tester, index))),
  );

export const passed = (proxy: string, url: string, tester: string, responseTimeMs = 200) => ({
  ...{ proxy, url, tester, isSuccessful: true, errorSource: null, errorCode: null, responseTimeMs },
});

export const failed = (
  [proxy, url, tester]: readonly [string, string, string],
  errorSource: ProxyTestResult['errorSource'],
  errorCode = 'timeout',
) => ({ ...{ proxy, url, tester, isSuccessful: false, errorSource, errorCode, responseTimeMs: null } });

const IDENTITY = { account: 'main', slice: '', requestFormat: 'UTC', zone: 'UTC', bucketMs: MINUTE };

export const graphOf = (name: string, part: Partial<typeof IDENTITY> = {}) => ({
  ...IDENTITY,
  name,
  ...part,
});

export const bucketAt = (at: number): Bucket => ({
  ...{ at, bytes: 1e9 + (at % 1e7), requests: 1e5, successful: 9e4, failed: 1e4, smartpathBytes: 1e6 },
  ...{ smartpathRequests: 1e3, smartpathMoneySaved: 1.5, concurrencyAverage: 12.5, concurrencyMax: 40 },
});

/** Stores days of buckets, day by day. */
export const fillGraph = async (
  store: Store,
  graph: ReturnType<typeof graphOf>,
  { from, days, now }: { readonly from: number; readonly days: number; readonly now: number },
): Promise<void> => {
  const { id } = await store.traffic.openGraph(graph, from, now);
  for (let day = from; day < from + days * DAY; day += DAY) {
    const length = DAY / graph.bucketMs;
    const buckets = Array.from({ length }, (_, n) => bucketAt(day + n * graph.bucketMs));
    await store.traffic.saveWindow(id, { buckets, watermark: day, now });
    await new Promise(setImmediate);
  }
};

type Kept = Parameters<Store['maintain']>[0]['accounts'];

/** Runs the maintenance of the account, or of no account if it is configured no more. */
export const maintain = (store: Store, now: number, account: Partial<Kept[number]> | null = {}) =>
  store.maintain({
    ...{ now, retention: RETENTION, signal: new AbortController().signal },
    accounts: account ? [{ name: 'main', zone: 'UTC', graphs: [], areUsersPolled: true, ...account }] : [],
  });

/** Returns a generator of numbers in [0, 1), the same for the same seed (mulberry32). */
export const randomNumbers = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};
