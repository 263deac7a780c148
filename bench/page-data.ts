// Starts a server over a large store in which tests fail, users use bytes and the balance runs out, with collectors
// that have just run.

import { DAY, HOUR } from '../src/lib/time.ts';
import type { LedgerRow } from '../src/store/ledger-store.ts';
import type { Store } from '../src/store/store.ts';
import type { AttributedResult, FaultKind } from '../src/store/test-store.ts';
import { fillLists } from './api-data.ts';
import { type ApiServer, proxyId, startApiServer } from './api-server.ts';

export const FAULTY_PROXY = proxyId(5);
export const BLOCKED_TARGET = 'shop';
export const FAILING_TESTER = 'paris';

/** The subjects of the views of the page. */
export const LARGE_SUBJECTS = {
  ...{ proxy: FAULTY_PROXY, target: BLOCKED_TARGET, tester: FAILING_TESTER },
  ...{ user: 'user-000599', service: 'API-1', alert: 'ProxyUserQuotaExhausted' },
};

const MAIN = 'main';
const NEVER = new AbortController().signal;
const COLLECTORS = ['proxy_users', 'residential_ledger', 'inventory', 'services', 'proxy_tests'];

export const startLargePage = async (folder: string, users: number, proxies: number): Promise<ApiServer> => {
  const server = await startApiServer(folder, proxies);
  await fillLists(server.store, users, proxies, () => server.store.userUse.store(MAIN, 'UTC', NEVER));
  await fillLedger(server.store);
  await fillFaults(server.store, proxies);
  const now = Date.now();
  for (const collector of COLLECTORS)
    await server.store.runs.record({
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

const ledgerRow = (reason: 'usage' | 'top_up', at: number, day: number): LedgerRow => {
  const bytes = reason === 'usage' ? (9 + (day % 3)) * 1e9 : 500e9;
  return {
    ...{ id: `${reason}-${day}`, reason, serviceId: null, bytes, requests: null, adjustmentId: null },
    ...{ periodDate: new Date(at).toISOString().slice(0, 10), periodEnd: (Math.floor(at / DAY) + 1) * DAY },
    ...{ addedBytes: reason === 'top_up' ? bytes : 0, usedBytes: reason === 'usage' ? bytes : 0 },
    ...{ createdAt: at, updatedAt: at },
  };
};

/** The newest round, in which a proxy, a target and a tester fail. */
const fillFaults = async ({ tests }: Store, proxies: number): Promise<void> => {
  const now = Date.now();
  for (let from = 0; from < proxies; from += 100) {
    const ids = Array.from({ length: Math.min(100, proxies - from) }, (_, index) => proxyId(from + index));
    const results = ids.flatMap((proxy) =>
      ['shop', 'news'].flatMap((url) => ['london', 'paris'].map((tester) => resultOf(proxy, url, tester))),
    );
    await tests.saveBatch(MAIN, { results, proxies: ids, now });
  }
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

const resultOf = (proxy: string, url: string, tester: string): AttributedResult => {
  const cause = causeOf(proxy, url, tester);
  const failure = { isSuccessful: false, errorSource: cause, errorCode: 'timeout', responseTimeMs: null };
  const success = { isSuccessful: true, errorSource: null, errorCode: null, responseTimeMs: 200 };
  return { proxy, url, tester, cause, ...(cause === null ? success : failure) };
};
