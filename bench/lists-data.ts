// Starts a server over a store with users, proxies, tests and services, whose collectors never run.

import { createApp } from '../src/daemon/app.ts';
import { createView } from '../src/daemon/http-view.ts';
import { settingsSchema } from '../src/daemon/settings.ts';
import { startHttpServer } from '../src/http/server.ts';
import { systemClock } from '../src/lib/clock.ts';
import { silentLog } from '../src/lib/log.ts';
import { DAY, HOUR } from '../src/lib/time.ts';
import type { Job } from '../src/schedule/job.ts';
import { addStatusPage } from '../src/status-page/routes.ts';
import type { Store } from '../src/store/store.ts';
import type { AttributedResult, FaultKind } from '../src/store/test-store.ts';
import {
  failed,
  ledgerRowOf,
  listUsers,
  numbered,
  pagesOf,
  passed,
  proxyOf,
  resultsOf,
  userOf,
} from './data.ts';

export const FAULTY_PROXY = numbered('proxy', 5, 6);
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

export interface ApiServer extends AsyncDisposable {
  readonly url: string;
  readonly store: Store;
  /** Evaluates the alerts, as after a run of each of the collectors. */
  evaluate(collectors: readonly string[]): Promise<void>;
}

export const proxyId = (n: number): string => numbered('proxy', n, 6);
const proxyIds = (count: number): string[] => Array.from({ length: count }, (_, n) => proxyId(n));

export const startApiServer = async (folder: string, proxies: number): Promise<ApiServer> => {
  const clock = systemClock;
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
  const settings = settingsSchema.parse({ store, alerts: { evaluate: true }, accounts: [account] });
  const app = await createApp({
    ...{ settings, clock, log: silentLog, version: '1.2.3', nodeVersion: process.versions.node },
    // Alerts fire at once.
    ...{ isDurable: false, holdScale: 0 },
  });
  const server = await startHttpServer({
    ...{ listen: { host: '127.0.0.1', port: 0 }, clock, log: silentLog },
    view: createView({ app, clock, version: '1.2.3' }),
    reload: async () => ({ result: 'no_file' }),
    addPage: addStatusPage,
  });
  return {
    url: `http://127.0.0.1:${server.address.port}/api/v1/`,
    store: app.store,
    evaluate: async (collectors) => {
      for (const collector of collectors) {
        await app.alerting.afterRun({ account: MAIN, collector } as Job, 'ok');
        await app.alerting.idle();
      }
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
};

/** `afterListing` is called after each listing of the users, of which there is one a day. */
export const fillLists = async (
  store: Store,
  users: number,
  proxies: number,
  afterListing: () => Promise<unknown> = async () => {},
): Promise<void> => {
  const now = Date.now();
  const ids = Array.from({ length: users }, (_, n) => numbered('user', n, 6));
  for (const day of [1, 2, 3]) {
    await listUsers(store, ids, now - (3 - day) * DAY, (id, n) => listedUser(id, n, day));
    await afterListing();
  }
  const all = proxyIds(proxies);
  const changed = all.map((id, n) => listedProxy(id, n, now));
  await store.inventory.open(MAIN, now);
  const listing = { changed, seenIds: new Set(all), startedAt: now, now, isComplete: true };
  await store.inventory.saveListing(MAIN, listing);
  await store.tests.open(MAIN, now);
  for (const hours of [48, 20, 5, 1, 0])
    for (const [index, page] of [...pagesOf(all)].entries()) {
      const results = resultsOf(page, URLS, TESTERS, (proxy, url, tester, n) =>
        (100 * index + n + hours) % 17 === 0
          ? failed([proxy, url, tester], 'target')
          : passed(proxy, url, tester),
      );
      await store.tests.saveBatch(MAIN, { results, proxies: page, now: now - hours * HOUR });
    }
};

const listedUser = (id: string, n: number, day: number) =>
  userOf(id, {
    ...{ isDeleted: n % 50 === 0, enforceHttps: true },
    quotas: {
      residential: { limitBytes: n % 4 === 0 ? null : 1e9 * (1 + (n % 7)), usedBytes: 1e7 * day * (n % 200) },
      mobile: { limitBytes: 1e9, usedBytes: 1e6 * day * (n % 300) },
    },
  });

const listedProxy = (id: string, n: number, now: number) =>
  proxyOf(id, {
    ...{ status: n % 5 === 0 ? 'available' : 'in_use', address: `203.0.${n >> 8}.${n & 255}` },
    ...{ subnetId: `203.0.${n >> 8}.0/24`, asnId: 64_500 + (n % 9), asnName: `Example ${n % 9}` },
    ...{ cityId: n % 4, cityName: CITIES[n % 4] ?? null, countryId: COUNTRIES[n % 4] ?? null },
    ...{ serviceId: `API-${n % 40}`, updatedAt: now - n * 1_000, latitude: 48.8, longitude: 2.3 },
  });

const COLLECTORS = ['proxy_users', 'residential_ledger', 'inventory', 'services', 'proxy_tests'];

/** Adds that tests fail, users use bytes and the balance runs out, with collectors that have just run. */
export const startLargePage = async (folder: string, users: number, proxies: number): Promise<ApiServer> => {
  const server = await startApiServer(folder, proxies);
  const { store } = server;
  const never = new AbortController().signal;
  await fillLists(store, users, proxies, () => store.userUse.store(MAIN, 'UTC', never));
  await fillLedger(store);
  await fillFaults(store, proxies);
  const now = Date.now();
  for (const collector of COLLECTORS)
    await store.runs.record({
      ...{ account: MAIN, collector, startedAt: now, finishedAt: now, result: 'ok', isSuccess: true },
      ...{ errorKind: null, errorMessage: null, skippedItems: 0, failingParts: 0, intervalMs: HOUR },
    });
  await server.evaluate(COLLECTORS);
  return server;
};

/** A balance of 30 days, in which every day has one row. */
const fillLedger = async ({ ledger }: Store): Promise<void> => {
  const now = Date.now();
  await ledger.open(MAIN, ['usage', 'top_up'], now - 30 * DAY);
  for (let day = 30; day >= 0; day -= 1) {
    const at = now - day * DAY;
    const rows = [ledgerRow('usage', at, day), ...(day === 30 ? [ledgerRow('top_up', at, day)] : [])];
    await ledger.savePage(MAIN, rows, at);
    await ledger.completeListing(MAIN, ['usage'], at, at);
  }
};

const ledgerRow = (reason: 'usage' | 'top_up', at: number, day: number) => {
  const bytes = reason === 'usage' ? (9 + (day % 3)) * 1e9 : 500e9;
  return ledgerRowOf(`${reason}-${day}`, {
    ...{ reason, serviceId: null, bytes, requests: null, createdAt: at, updatedAt: at },
    ...{ periodDate: new Date(at).toISOString().slice(0, 10), periodEnd: (Math.floor(at / DAY) + 1) * DAY },
    ...{ addedBytes: reason === 'top_up' ? bytes : 0, usedBytes: reason === 'usage' ? bytes : 0 },
  });
};

/** The newest round, in which a proxy, a target and a tester fail. */
const fillFaults = async ({ tests }: Store, proxies: number): Promise<void> => {
  const now = Date.now();
  for (const page of pagesOf(proxyIds(proxies)))
    await tests.saveBatch(MAIN, {
      results: resultsOf(page, URLS, TESTERS, faultyResult),
      proxies: page,
      now,
    });
  const faults = [
    { kind: 'proxy', subject: FAULTY_PROXY, reason: '4 of 4 tests fail' },
    { kind: 'target', subject: BLOCKED_TARGET, reason: '100% of the proxies fail at this target' },
    { kind: 'tester', subject: FAILING_TESTER, reason: '100% of the proxies fail from this tester' },
  ] as const;
  await tests.saveFaults(MAIN, faults, now);
};

const causeOf = (proxy: string, url: string, tester: string): FaultKind | null => {
  if (proxy === FAULTY_PROXY) return 'proxy';
  if (url === BLOCKED_TARGET) return 'target';
  return tester === FAILING_TESTER ? 'tester' : null;
};

const faultyResult = (proxy: string, url: string, tester: string): AttributedResult => {
  const cause = causeOf(proxy, url, tester);
  return { ...(cause ? failed([proxy, url, tester], cause) : passed(proxy, url, tester)), cause };
};
