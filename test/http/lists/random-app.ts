// Fills a real store with random data of several accounts, and serves it.

import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { createApp } from '../../../src/daemon/app.ts';
import { createView } from '../../../src/daemon/http-view.ts';
import { settingsSchema } from '../../../src/daemon/settings.ts';
import { startHttpServer } from '../../../src/http/server.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { DAY, HOUR } from '../../../src/lib/time.ts';
import type { StoredAlert } from '../../../src/store/alert-store.ts';
import type { Place, PlaceKind } from '../../../src/store/catalog-store.ts';
import type { InventoryProxy } from '../../../src/store/inventory-store.ts';
import type { ServiceObservation } from '../../../src/store/service-store.ts';
import type { Store } from '../../../src/store/store.ts';
import type { UserObservation } from '../../../src/store/user-store.ts';
import { NO_USER_DETAILS } from '../../store/support.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const ACCOUNTS = ['main', 'shop', 'Zoo'];

/** Few words, so that items share them. Their orders by code units, by case and by code points differ. */
const WORDS = [
  'a',
  'A1',
  'b',
  'B',
  'été',
  'ÉTÉ',
  'zz',
  '\u{1F600}x',
  '\uFFFDy',
  '=1+1',
  '-x',
  "'q",
  'x,y',
  '"',
  'a b',
];
const word = fc.constantFrom(...WORDS);
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.option(arbitrary, { nil: null, freq: 3 });
const id = fc.tuple(word, fc.nat({ max: 30 })).map(([text, number]) => `${text}${number}`);
const ids = (maxLength: number) => fc.uniqueArray(id, { maxLength });
const bytes = fc.constantFrom(0, 1, 5, 50, 95, 100, 1_000);
const time = fc.integer({ min: -20, max: 20 }).map((days) => NOW + days * DAY);

const quota = fc.record({ limitBytes: maybe(bytes), usedBytes: maybe(bytes) });
const user = fc.record({
  isDeleted: fc.boolean(),
  residential: quota,
  mobile: quota,
  growth: fc.nat({ max: 20 }),
});
const inventoryProxy = fc.record({
  productType: maybe(word),
  status: maybe(word),
  address: maybe(fc.constantFrom('192.0.2.9', '192.0.2.10', '203.0.113.7', '2001:db8::1', 'host')),
  asnId: maybe(fc.constantFrom(64_500, 64_501)),
  asnName: maybe(word),
  cityName: maybe(word),
  countryId: maybe(word),
  serviceId: maybe(word),
  updatedAt: maybe(time),
});
const service = fc.record({
  name: maybe(word),
  productType: maybe(fc.constantFrom('isp', 'datacenter')),
  status: maybe(fc.constantFrom('active', 'overdue', 'canceled', 'complete', 'awaiting_payment')),
  countryId: maybe(word),
  price: maybe(bytes),
  isPaused: maybe(fc.boolean()),
  isPendingCancellation: maybe(fc.boolean()),
  isAutomaticCollection: maybe(fc.boolean()),
  hasOpenInvoice: fc.boolean(),
  expiresAt: maybe(time),
});
const product = fc.record({
  name: maybe(word),
  type: maybe(word),
  countryId: maybe(word),
  isAvailable: maybe(fc.boolean()),
  stock: maybe(bytes),
  isStockUnlimited: fc.constant(false),
});
const place = fc.record({
  kind: fc.constantFrom<PlaceKind>('continent', 'asn', 'city', 'subdivision', 'residential', 'mobile'),
  name: maybe(word),
  nodes: maybe(bytes),
  countryId: maybe(word),
  population: maybe(bytes),
});
const outcome = fc.constantFrom<boolean | null>(true, false, null);
const proxy = fc.record({
  name: fc.option(word, { nil: undefined }),
  product_type: fc.option(fc.constantFrom('isp', 'residential'), { nil: undefined }),
  /** The outcome of each round at each url and tester; null if there was no result. */
  rounds: fc.array(fc.array(outcome, { minLength: 4, maxLength: 4 }), { maxLength: 3 }),
  isFaulty: fc.boolean(),
});
const alert = fc.record({
  alert: fc.constantFrom('A', 'AB', 'Low'),
  severity: fc.constantFrom('critical', 'warning', 'info'),
  subject: word,
  isFiring: fc.boolean(),
  since: time,
});

const dictionary = <T>(value: fc.Arbitrary<T>, maxLength: number): fc.Arbitrary<[string, T][]> =>
  ids(maxLength).chain((keys) =>
    fc
      .tuple(...keys.map((key) => fc.tuple(fc.constant(key), value)))
      .map((entries) => entries as [string, T][]),
  );

const account = fc.record({
  users: dictionary(user, 25),
  inventory: dictionary(inventoryProxy, 25),
  services: dictionary(service, 12),
  products: dictionary(product, 12),
  places: dictionary(place, 12),
  proxies: dictionary(proxy, 12),
  alerts: fc.uniqueArray(alert, { maxLength: 12, selector: (each) => `${each.alert} ${each.subject}` }),
});
export const data = fc.tuple(account, account, account);
type Account = typeof account extends fc.Arbitrary<infer T> ? T : never;

export interface RandomApp extends AsyncDisposable {
  readonly url: string;
}

export const serve = async (accounts: readonly Account[]): Promise<RandomApp> => {
  const folder = mkdtempSync(join(tmpdir(), 'proxywatch-lists-'));
  const clock = new FakeClock(NOW);
  const named = accounts.map((each, index) => ({ ...each, name: ACCOUNTS[index] ?? '' }));
  const app = await createApp({
    settings: settingsSchema.parse({
      store: { path: join(folder, 'store.db') },
      accounts: named.map(({ name, proxies }) => ({
        ...{ name, base_url: 'http://127.0.0.1:9', public_key: 'p', private_key: 's' },
        ...{
          inventory: {},
          services: {},
          catalog: {},
          geography: {},
          proxy_users: { zero_limit: name === 'shop' ? 'exhausted' : 'ignore' },
        },
        proxy_tests: {
          urls: [
            { name: 'one', url: 'https://example.com/1' },
            { name: 'two', url: 'https://example.com/2' },
          ],
          proxies: proxies.map(([proxy_id, { name, product_type }], index) => ({
            ...{ proxy_id, name, product_type },
            proxy: `192.0.2.${index}:8000:alice:secret`,
          })),
        },
      })),
    }),
    clock,
    log: silentLog,
    version: '1.2.3',
    nodeVersion: '24.0.0',
    isDurable: false,
  });
  for (const each of named) await fill(app.store, each.name, each);
  app.alerting.active.apply({
    ...{ removed: [], valueUpdates: [], fired: [], resolved: [], stepped: [] },
    put: named.flatMap(({ name, alerts }) =>
      alerts.map((each) => storedAlert(name === 'Zoo' ? '' : name, each)),
    ),
  });
  const server = await startHttpServer({
    ...{ listen: { host: '127.0.0.1', port: 0 }, clock, log: silentLog },
    view: createView({ app, clock, version: '1.2.3' }),
    reload: async () => ({ result: 'no_file' }),
  });
  return {
    url: `http://127.0.0.1:${server.address.port}/api/v1/`,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
};

const fill = async (store: Store, name: string, data: Account): Promise<void> => {
  for (let day = 3; day >= 0; day -= 1) {
    const at = NOW - day * DAY;
    const users = data.users.map(([id, { isDeleted, residential, mobile, growth }]): UserObservation => {
      const { limitBytes, usedBytes } = residential;
      const used = usedBytes === null ? null : usedBytes + growth * (3 - day);
      return {
        ...{ id, isDeleted, accessType: 'all', isDefault: false, strictSecurity: false, enforceHttps: true },
        quotas: { residential: { limitBytes, usedBytes: used }, mobile },
        details: NO_USER_DETAILS,
      };
    });
    await store.users.savePage(name, users, at);
    await store.users.completeListing(name, new Set(users.map(({ id }) => id)), at, at);
  }
  await store.inventory.open(name, NOW);
  const changed = data.inventory.map(([id, part]): InventoryProxy => ({ ...NO_PROXY, id, ...part }));
  const seenIds = new Set(changed.map(({ id }) => id));
  await store.inventory.saveListing(name, { changed, seenIds, startedAt: NOW, now: NOW, isComplete: true });
  for (const [id, part] of data.services)
    await store.services.save(name, { ...NO_SERVICE, id, ...part }, NOW);
  const products = data.products.map(([code, part]) => ({ ...NO_PRODUCT, code, ...part }));
  await store.catalog.save(name, { products, skippedCodes: [] }, []);
  await store.geography.save(name, data.places.map(placeOf), []);
  await fillTests(store, name, data);
};

const CELLS = ['one', 'two'].flatMap((url) => ['london', 'paris'].map((tester) => ({ url, tester })));

const fillTests = async (store: Store, name: string, { proxies }: Account): Promise<void> => {
  await store.tests.open(name, NOW);
  for (const [index, [proxy, { rounds }]] of proxies.entries())
    for (const [round, outcomes] of rounds.entries()) {
      const results = outcomes.flatMap((isSuccessful, cell) => {
        const subject = CELLS[cell];
        if (isSuccessful === null || !subject) return [];
        const error = isSuccessful ? null : 'proxy';
        return [{ proxy, ...subject, isSuccessful, errorSource: error, errorCode: error, responseTimeMs: 5 }];
      });
      // Some results are older than the periods of the uptime.
      const at = NOW - ([50 * DAY, 3 * DAY, HOUR, 0][(index % 2) + round] ?? 0);
      await store.tests.saveBatch(name, { results, proxies: [proxy], now: at });
    }
  const faulty = proxies.filter(([, { isFaulty }]) => isFaulty);
  const refused = proxies.filter((_, index) => index % 3 === 0);
  await store.tests.saveFaults(
    name,
    [
      ...faulty.map(([subject]) => ({ kind: 'proxy' as const, subject, reason: '' })),
      ...refused.map(([subject]) => ({ kind: 'access' as const, subject, reason: '' })),
      ...(faulty.length > 3 ? [{ kind: 'target' as const, subject: 'two', reason: '' }] : []),
    ],
    NOW,
  );
};

const storedAlert = (
  name: string,
  { alert, severity, subject, isFiring, since }: Account['alerts'][number],
): StoredAlert => ({
  ...{ account: name, alert, severity, labels: { subject }, value: 1, step: 0, since },
  ...{ firingSince: isFiring ? since : null, absentSince: null, skippedMs: 0, endedAt: null },
});

/** A place with the same id in another kind is another place. */
const placeOf = ([id, { kind, name, nodes, ...details }]: Account['places'][number]): Place => ({
  ...{ kind, id: id.slice(0, 1), name, nodes, ipAddresses: null, details },
});

const NO_PRODUCT = { protocol: null, cycles: null, isPerIp: null };

const NO_PROXY: InventoryProxy = {
  ...{
    id: '',
    productType: null,
    protocol: null,
    status: null,
    address: null,
    httpPort: null,
    socks5Port: null,
  },
  ...{ subnetId: null, asnId: null, asnName: null, cityId: null, cityName: null, countryId: null },
  ...{ serviceId: null, addressV6: null, addressIdV4: null, addressIdV6: null, subnetIdV6: null },
  ...{ lineItemId: null, updatedAt: null, users: null, userIds: null, latitude: null, longitude: null },
  ...{ examplePostcode: null, timeZone: null, countryName: null, subdivisionId: null, subdivisionName: null },
};

export const NO_SERVICE: ServiceObservation = {
  ...{ id: '', name: null, productType: null, protocol: null, status: null, countryId: null, cycle: null },
  ...{ quantity: null, price: null, isPaused: null, isPendingCancellation: null, hasOpenInvoice: false },
  ...{ isAutomaticCollection: null, hasPaymentMethod: null, expiresAt: null, earliestCancellationAt: null },
  ...{ createdAt: null, updatedAt: null, dispatchedAt: null, isReconfigurable: null, promotionalCode: null },
  ...{ subscriptionId: null, subscriptionScheduleId: null, lineItems: [], proxies: null },
};
