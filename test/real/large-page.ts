// Starts a server over a store with many users and proxies, of which some fail. Its collectors never run.

import { createApp } from '../../src/daemon/app.ts';
import { createView } from '../../src/daemon/http-view.ts';
import { settingsSchema } from '../../src/daemon/settings.ts';
import { startHttpServer } from '../../src/http/server.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../../src/lib/log.ts';
import { DAY, HOUR } from '../../src/lib/time.ts';
import type { Job } from '../../src/schedule/job.ts';
import { addStatusPage } from '../../src/status-page/routes.ts';
import type { InventoryProxy } from '../../src/store/inventory-store.ts';
import type { LedgerRow } from '../../src/store/ledger-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { AttributedResult, FaultKind } from '../../src/store/test-store.ts';
import { observationOf } from '../store/support.ts';
import { failure, result } from '../store/test-results.ts';

const numbered = (kind: string, n: number): string => `${kind}-${String(n).padStart(6, '0')}`;

export const FAULTY_PROXY = numbered('proxy', 5);
export const BLOCKED_TARGET = 'shop';
export const FAILING_TESTER = 'paris';

/** The subjects of the views of the page. */
export const LARGE_SUBJECTS = {
  ...{ proxy: FAULTY_PROXY, target: BLOCKED_TARGET, tester: FAILING_TESTER },
  ...{ user: 'user-000599', service: 'API-1', alert: 'ProxyUserQuotaExhausted' },
};

const MAIN = 'main';
const URLS = [BLOCKED_TARGET, 'news'];
const TESTERS = ['london', FAILING_TESTER];
const CITIES = ['Paris', 'London', 'Berlin', 'Madrid'];
const COUNTRIES = ['fr', 'gb', 'de', 'es'];

interface LargePage extends AsyncDisposable {
  readonly url: string;
}

export const proxyId = (n: number): string => numbered('proxy', n);
const proxyIds = (count: number): string[] => Array.from({ length: count }, (_, n) => proxyId(n));

/** Adds that tests fail, users use bytes and the balance runs out, with collectors that have just run. */
export const startLargePage = async (folder: string, users: number, proxies: number): Promise<LargePage> => {
  const app = await openApp(folder, proxies);
  const { store } = app;
  await fillUsers(store, users);
  await fillProxies(store, proxies);
  await fillLedger(store);
  await fillFaults(store, proxies);
  const now = Date.now();
  for (const collector of COLLECTORS)
    await store.runs.record({
      ...{ account: MAIN, collector, startedAt: now, finishedAt: now, result: 'ok', isSuccess: true },
      ...{ errorKind: null, errorMessage: null, skippedItems: 0, failingParts: 0, intervalMs: HOUR },
    });
  for (const collector of COLLECTORS) {
    await app.alerting.afterRun({ account: MAIN, collector } as Job, 'ok');
    await app.alerting.idle();
  }
  const server = await startHttpServer({
    ...{ listen: { host: '127.0.0.1', port: 0 }, clock: systemClock, log: silentLog },
    view: createView({ app, clock: systemClock, version: '1.2.3' }),
    reload: async () => ({ result: 'no_file' }),
    addPage: addStatusPage,
  });
  return {
    url: `http://127.0.0.1:${server.address.port}/`,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
};

const openApp = (folder: string, proxies: number) => {
  const tested = proxyIds(proxies).map((proxy_id, n) => ({
    ...{ proxy_id, name: `fr-${n}`, product_type: n % 3 === 0 ? 'datacenter' : 'isp' },
    proxy: `192.0.2.${n % 250}:${10_000 + n}:alice:secret`,
  }));
  const urls = URLS.map((name) => ({ name, url: `https://${name}.example/` }));
  const account = {
    ...{ name: MAIN, base_url: 'http://127.0.0.1:9', public_key: 'p', private_key: 's' },
    ...{ inventory: {}, services: {}, proxy_users: {}, proxy_tests: { urls, proxies: tested } },
  };
  const store = { path: `${folder}/store.db` };
  return createApp({
    settings: settingsSchema.parse({ store, alerts: { evaluate: true }, accounts: [account] }),
    ...{ clock: systemClock, log: silentLog, version: '1.2.3', nodeVersion: process.versions.node },
    // Alerts fire at once.
    ...{ isDurable: false, holdScale: 0 },
  });
};

function* pagesOf<T>(items: readonly T[]): Generator<T[]> {
  for (let from = 0; from < items.length; from += 100) yield items.slice(from, from + 100);
}

/** Lists them on three days, on each of which they have used more. */
const fillUsers = async (store: Store, users: number): Promise<void> => {
  const now = Date.now();
  const ids = Array.from({ length: users }, (_, n) => numbered('user', n));
  for (const day of [1, 2, 3]) {
    const at = now - (3 - day) * DAY;
    for (const page of pagesOf(ids.map((id, n) => listedUser(id, n, day))))
      await store.users.savePage(MAIN, page, at);
    await store.users.completeListing(MAIN, new Set(ids), at, at);
    await store.userUse.store(MAIN, 'UTC', new AbortController().signal);
  }
};

const listedUser = (id: string, n: number, day: number) => {
  const limitBytes = n % 4 === 0 ? null : 1e9 * (1 + (n % 7));
  const residential = { limitBytes, usedBytes: 1e7 * day * (n % 200) };
  const mobile = { limitBytes: 1e9, usedBytes: 1e6 * day * (n % 300) };
  return { ...observationOf(id, { residential, mobile }), isDeleted: n % 50 === 0 };
};

/** Lists the proxies, and tests them at five times. */
const fillProxies = async (store: Store, proxies: number): Promise<void> => {
  const [now, all] = [Date.now(), proxyIds(proxies)];
  const changed = all.map((id, n) => listedProxy(id, n, now));
  await store.inventory.open(MAIN, now);
  const listing = { changed, seenIds: new Set(all), startedAt: now, now, isComplete: true };
  await store.inventory.saveListing(MAIN, listing);
  await store.tests.open(MAIN, now);
  for (const hours of [48, 20, 5, 1, 0])
    await saveTests(store, proxies, now - hours * HOUR, (test, n) =>
      (n + hours) % 17 === 0 ? failure({ ...test, errorCode: 'timeout' }) : result(test),
    );
};

interface Test {
  readonly proxy: string;
  readonly url: string;
  readonly tester: string;
}

const saveTests = async (
  { tests }: Store,
  proxies: number,
  now: number,
  resultOf: (test: Test, n: number) => AttributedResult,
): Promise<void> => {
  for (const [index, page] of [...pagesOf(proxyIds(proxies))].entries()) {
    const results = page.flatMap((proxy, n) =>
      URLS.flatMap((url) => TESTERS.map((tester) => resultOf({ proxy, url, tester }, 100 * index + n))),
    );
    await tests.saveBatch(MAIN, { results, proxies: page, now });
  }
};

const listedProxy = (id: string, n: number, now: number): InventoryProxy => ({
  ...{ id, productType: 'isp', protocol: 'ipv4', httpPort: 8_000, socks5Port: 8_000, addressV6: null },
  ...{ status: n % 5 === 0 ? 'available' : 'in_use', address: `203.0.${n >> 8}.${n & 255}` },
  ...{ subnetId: `203.0.${n >> 8}.0/24`, asnId: 64_500 + (n % 9), asnName: `Example ${n % 9}` },
  ...{ cityId: n % 4, cityName: CITIES[n % 4] ?? null, countryId: COUNTRIES[n % 4] ?? null },
  ...{ serviceId: `API-${n % 40}`, updatedAt: now - n * 1_000, latitude: 48.8, longitude: 2.3 },
  ...{ addressIdV4: null, addressIdV6: null, subnetIdV6: null, lineItemId: null },
  ...{ users: 1, userIds: ['alice'], examplePostcode: null, timeZone: null },
  ...{ countryName: null, subdivisionId: null, subdivisionName: null },
});

const COLLECTORS = ['proxy_users', 'residential_ledger', 'inventory', 'services', 'proxy_tests'];

/** A balance of 30 days, in which every day has one row. */
const fillLedger = async ({ ledgers: { residential: ledger } }: Store): Promise<void> => {
  const now = Date.now();
  await ledger.open(MAIN, ['usage', 'top_up'], now - 30 * DAY);
  for (let day = 30; day >= 0; day -= 1) {
    const at = now - day * DAY;
    const rows = [ledgerRow('usage', at, day), ...(day === 30 ? [ledgerRow('top_up', at, day)] : [])];
    await ledger.savePage(MAIN, rows, at);
    await ledger.completeListing(MAIN, ['usage'], at, at);
  }
};

const ledgerRow = (reason: 'usage' | 'top_up', at: number, day: number): LedgerRow => {
  const bytes = reason === 'usage' ? (9 + (day % 3)) * 1e9 : 500e9;
  return {
    ...{ id: `${reason}-${day}`, reason, serviceId: null, bytes, requests: null, adjustmentId: null },
    ...{ createdAt: at, updatedAt: at, periodDate: new Date(at).toISOString().slice(0, 10) },
    periodEnd: (Math.floor(at / DAY) + 1) * DAY,
    ...{ addedBytes: reason === 'top_up' ? bytes : 0, usedBytes: reason === 'usage' ? bytes : 0 },
  };
};

/** The newest round, in which a proxy, a target and a tester fail. */
const fillFaults = async (store: Store, proxies: number): Promise<void> => {
  const now = Date.now();
  await saveTests(store, proxies, now, (test) => {
    const cause = causeOf(test);
    return cause ? failure({ ...test, cause, errorSource: cause, errorCode: 'timeout' }) : result(test);
  });
  const faults = [
    { kind: 'proxy', subject: FAULTY_PROXY, reason: '4 of 4 tests fail' },
    { kind: 'target', subject: BLOCKED_TARGET, reason: '100% of the proxies fail at this target' },
    { kind: 'tester', subject: FAILING_TESTER, reason: '100% of the proxies fail from this tester' },
  ] as const;
  await store.tests.saveFaults(MAIN, faults, now);
};

const causeOf = ({ proxy, url, tester }: Test): FaultKind | null => {
  if (proxy === FAULTY_PROXY) return 'proxy';
  if (url === BLOCKED_TARGET) return 'target';
  return tester === FAILING_TESTER ? 'tester' : null;
};
