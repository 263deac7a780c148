// Gives the HTTP server the results of the provider's testers beside those of the probes from here.

import { setImmediate } from 'node:timers/promises';
import { probesAccount, testedAccounts } from '../../collectors/context.ts';
import { readTestedProxies } from '../../collectors/proxy-sources/tested-proxies.ts';
import { readCurrentFaults } from '../../collectors/proxy-tests/current-findings.ts';
import { listProxiesWithTimes } from '../../collectors/proxy-tests/listed-proxies.ts';
import { listTargets, listTesters, type TesterSummary } from '../../collectors/proxy-tests/summaries.ts';
import {
  listUptimeHistories,
  readHistory,
  readProxyHours,
} from '../../collectors/proxy-tests/uptime-history.ts';
import type { ListedFailure, TestView } from '../../http/daemon-view.ts';
import type { Clock } from '../../lib/clock.ts';
import { HOUR } from '../../lib/time.ts';
import type { Store } from '../../store/store.ts';
import type { FailureFilter } from '../../store/test-history-store.ts';
import type { App } from '../app.ts';
import { readCombinedProxy, readCombinedTarget, readCombinedTester } from './combined-details.ts';
import {
  combineFaults,
  combineProxies,
  combineTargets,
  type MatrixContext,
  vantagesOf,
  withoutKnown,
} from './combined-lists.ts';

export const createTestView = (app: App, clock: Clock, configurationRevision: () => string): TestView => {
  const { store } = app;
  const of = (account: string) => vantagesOf(app, clock, account);
  /** Lists the same of both; empty for one that is off. */
  const listBoth = async <T>(
    account: string,
    list: (context: MatrixContext) => Promise<T[]>,
  ): Promise<readonly [T[], T[]]> => {
    const { tests, probes } = of(account);
    return [tests ? await list(tests) : [], probes ? await list(probes) : []];
  };
  /** Sources of accounts or of their probes, if these are on. */
  const isOn = (source: string): boolean =>
    app.accounts.some(({ name }) => {
      const { tests, probes } = of(name);
      return (source === name && tests) || (source === probesAccount(name) && probes);
    });
  return {
    revision: async (account) => {
      const currentHour = Math.floor(clock.now() / HOUR);
      const accounts = account === undefined ? app.accounts.map(({ name }) => name) : [account];
      const changeTimes = await Promise.all(accounts.map((name) => changeTimesOf(app, name)));
      return [configurationRevision(), currentHour, ...changeTimes.flat()].join(' ');
    },
    proxies: async (account) => combineProxies(...(await listBoth(account, listProxiesWithTimes))),
    testers: async (account) => {
      const [testers, here] = await listBoth(account, listTesters);
      const vantages = here.map(({ id, read }) => ({
        id,
        read: async (): Promise<TesterSummary> => ({ ...(await read()), isVantage: true }),
      }));
      return [...testers, ...vantages];
    },
    targets: async (account) => combineTargets(...(await listBoth(account, listTargets))),
    uptimeHistories: async (account, kind) =>
      withoutKnown(...(await listBoth(account, (context) => listUptimeHistories(context, kind)))),
    proxyHours: (account, ids) => {
      const { tests, probes } = of(account);
      return readProxyHours([tests ?? [], probes ?? []].flat(), ids, clock.now());
    },
    faults: async (account) =>
      combineFaults(
        ...(await listBoth(account, async (context) =>
          readCurrentFaults(context, await readTestedProxies(context)),
        )),
      ),
    proxy: (account, id) => readCombinedProxy(of(account), id),
    target: (account, id) => readCombinedTarget(of(account), id),
    tester: (account, id) => readCombinedTester(of(account), id),
    history: async (account, kind, id, range) => {
      const { tests, probes } = of(account);
      const found = tests && (await readHistory(tests, kind, id, range));
      return found ?? (probes && readHistory(probes, kind, id, range));
    },
    // Both number their failures themselves, so each is a source of its own.
    failureSources: (account) => testedAccounts(account).filter(isOn),
    failures: async (source, limit, filter) =>
      isOn(source) ? readFailures(store, source, limit, filter) : [],
    countFailures: async (source, filter) => (isOn(source) ? store.tests.countFailures(source, filter) : 0),
  };
};

/** Results are stored during a run; found proxies and faults are stored when it ends, so both times matter. */
const changeTimesOf = async ({ store }: App, account: string): Promise<(number | null | undefined)[]> => {
  const runs = await store.runs.states(account);
  const finishedAt = (name: string) => runs.find(({ collector }) => collector === name)?.finishedAt;
  return [
    ...[await store.tests.storedAt(account), finishedAt('proxy_tests')],
    ...[await store.tests.storedAt(probesAccount(account)), finishedAt('probes')],
  ];
};

export const readFailures = async (
  { tests, probes }: Pick<Store, 'tests' | 'probes'>,
  source: string,
  limit: number,
  filter: FailureFilter,
): Promise<ListedFailure[]> => {
  const failures = await tests.recentFailures(source, limit, filter);
  const lastOf = new Map<string, ReturnType<typeof probes.failures>>();
  const listed: ListedFailure[] = [];
  for (const failure of failures) {
    const last = lastOf.get(failure.proxy) ?? probes.failures(source, failure.proxy);
    lastOf.set(failure.proxy, last);
    // Only the last failure of a proxy at a url has the answer of the proxy.
    const details = (await last).find(({ url, at }) => url === failure.url && at === failure.at);
    listed.push({ ...failure, details: details ?? null });
    if (listed.length % 100 === 0) await setImmediate();
  }
  return listed;
};
