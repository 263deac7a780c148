// Gives the HTTP server read access to the state of the daemon.

import { ALERTS } from '../alerts/table.ts';
import { COLLECTOR_NAMES, type CollectorName, type ReadContext } from '../collectors/context.ts';
import { type Freshness, readFreshness } from '../collectors/freshness.ts';
import { listProxiesWithTimes } from '../collectors/proxy-tests/listed-proxies.ts';
import type { ProxyTestOptions } from '../collectors/proxy-tests/options.ts';
import { proxyTests } from '../collectors/proxy-tests/proxy-tests.ts';
import {
  readProxyDetails,
  readTargetDetails,
  readTesterDetails,
} from '../collectors/proxy-tests/subject-details.ts';
import { readHistory } from '../collectors/proxy-tests/subject-history.ts';
import { listTargets, listTesters } from '../collectors/proxy-tests/summaries.ts';
import { listUptimeHistories } from '../collectors/proxy-tests/uptime-history.ts';
import { proxyUserOptions } from '../collectors/proxy-users/options.ts';
import type {
  AccountStatus,
  AccountView,
  CollectorStatus,
  DaemonView,
  TestView,
} from '../http/daemon-view.ts';
import type { Clock } from '../lib/clock.ts';
import { type Log, silentLog } from '../lib/log.ts';
import { HOUR } from '../lib/time.ts';
import { negotiate } from '../metrics/negotiate.ts';
import { providerReport } from '../provider/report/provider-report.ts';
import type { JobStatus } from '../schedule/job.ts';
import type { RunState } from '../store/run-store.ts';
import type { RunningAccount } from './account.ts';
import { createAlertView } from './alert-view.ts';
import type { App } from './app.ts';
import { createNoticeView } from './notice-view.ts';
import { createReadiness } from './readiness.ts';
import { createSilenceView } from './silence-view.ts';

export interface ViewOptions {
  readonly app: App;
  readonly clock: Clock;
  readonly version: string;
  /** By default nothing is logged. */
  readonly log?: Log;
}

export const createView = (options: ViewOptions): DaemonView => {
  const { app, clock, version, log = silentLog } = options;
  const startedAt = clock.now();
  const configurationRevision = (): string => [version, startedAt, app.generation].join(' ');
  return {
    accounts: () => app.accounts.map(({ name }) => name),
    collectors: () => COLLECTOR_NAMES,
    alertNames: () => ALERTS.map(({ name }) => name),
    scrape: ({ accept, acceptEncoding, accounts, collectors }, isGone) =>
      app.exposition.scrape({ ...negotiate(accept, acceptEncoding), accounts, collectors }, isGone),
    status: async () => ({
      version,
      startedAt,
      maintenance: app.maintenance.status(),
      accounts: await Promise.all(app.accounts.map((account) => accountStatus(app, account, clock.now()))),
    }),
    notReadyReasons: createReadiness(app),
    version,
    account: (name) => accountView(options, name),
    configurationRevision,
    revision: (parts, spanMs) => {
      const span = spanMs === undefined ? '' : Math.floor(clock.now() / spanMs);
      return [configurationRevision(), app.store.revision(parts), span].join(' ');
    },
    storeStatus: () => ({ ...app.store.size(), epochBeganAt: app.store.epoch.beganAt }),
    tests: createTestView(options, configurationRevision),
    alerts: createAlertView(app.alerting),
    alertHistory: app.store.alertHistory,
    silences: createSilenceView(app, clock, log),
    notices: createNoticeView(app),
    probes: app.probeRequests,
    providerReport: () =>
      providerReport(
        version,
        app.accounts.map(({ report }) => report),
      ),
  };
};

const USER_DEFAULTS = proxyUserOptions.parse({});

const accountView = ({ app, clock }: ViewOptions, name: string): AccountView | undefined => {
  const running = app.accounts.find((each) => each.name === name);
  if (!running) return undefined;
  const userOptions = running.settings.proxy_users || USER_DEFAULTS;
  const { quotes } = running.settings;
  const orders = quotes === false ? [] : quotes.items.map(({ name }) => name);
  return { settings: running.context, store: app.store, clock, userOptions, orders };
};

const createTestView = (options: ViewOptions, configurationRevision: () => string): TestView => {
  const { app, clock } = options;
  const listOf =
    <T>(list: (context: ReadContext<ProxyTestOptions>) => Promise<T[]>) =>
    async (account: string): Promise<T[]> => {
      const context = testContextOf(options, account);
      return context ? list(context) : [];
    };
  const ofAccount =
    <A extends readonly unknown[], T>(
      read: (context: ReadContext<ProxyTestOptions>, ...rest: A) => Promise<T | undefined>,
    ) =>
    async (account: string, ...rest: A): Promise<T | undefined> => {
      const context = testContextOf(options, account);
      return context && read(context, ...rest);
    };
  return {
    revision: async (account) => {
      const currentHour = Math.floor(clock.now() / HOUR);
      const accounts = account === undefined ? app.accounts.map(({ name }) => name) : [account];
      const changeTimes = await Promise.all(accounts.map((name) => testChangeTimesOf(app, name)));
      return [configurationRevision(), currentHour, ...changeTimes.flat()].join(' ');
    },
    proxies: listOf(listProxiesWithTimes),
    testers: listOf(listTesters),
    targets: listOf(listTargets),
    uptimeHistories: (account, kind) => listOf((context) => listUptimeHistories(context, kind))(account),
    faults: async (account) => (testContextOf(options, account) ? app.store.tests.faults(account) : []),
    proxy: ofAccount(readProxyDetails),
    target: ofAccount(readTargetDetails),
    tester: ofAccount(readTesterDetails),
    history: ofAccount(readHistory),
    failures: async (account, limit, filter) =>
      testContextOf(options, account) ? app.store.tests.recentFailures(account, limit, filter) : [],
    countFailures: async (account, filter) =>
      testContextOf(options, account) ? app.store.tests.countFailures(account, filter) : 0,
  };
};

/** Returns undefined if the account has no proxy tests. */
const testContextOf = (
  { app, clock }: ViewOptions,
  name: string,
): ReadContext<ProxyTestOptions> | undefined => {
  const running = app.accounts.find((each) => each.name === name);
  const options = running?.settings.proxy_tests;
  return running && options ? { account: running.context, options, store: app.store, clock } : undefined;
};

/** Results are stored during a run; found proxies and faults are stored when it ends, so both times matter. */
const testChangeTimesOf = async ({ store }: App, account: string): Promise<(number | null | undefined)[]> => {
  const runs = await store.runs.states(account);
  const last = runs.find(({ collector }) => collector === proxyTests.name);
  return [await store.tests.storedAt(account), last?.finishedAt];
};

const accountStatus = async (
  { store, runner }: App,
  { name, jobs, context, settings }: RunningAccount,
  now: number,
): Promise<AccountStatus> => {
  const states = await store.runs.states(name);
  const statuses = runner.status(name);
  const collectors = jobs.map(async ({ collector }) => {
    const status = statuses.find((job) => job.collector === collector);
    const last = states.find((state) => state.collector === collector);
    const data = await readFreshness(context, collector as CollectorName, store, now, states);
    return status ? [collectorStatus(status, last, data)] : [];
  });
  return {
    name,
    customerId: (await store.accounts.customer(name)) ?? null,
    timeZone: settings.time_zone,
    collectors: (await Promise.all(collectors)).flat(),
  };
};

const collectorStatus = (
  job: JobStatus,
  last: RunState | undefined,
  { state, asOf }: Freshness,
): CollectorStatus => ({
  name: job.collector,
  data: { state, asOf },
  result: last?.result ?? null,
  lastAttemptAt: last?.startedAt ?? null,
  lastDurationMs: last ? Math.max(0, last.finishedAt - last.startedAt) : null,
  lastSuccessAt: last?.lastSuccessAt ?? null,
  error: last?.errorKind ? { kind: last.errorKind, message: last.errorMessage ?? '' } : null,
  failuresInARow: last?.failures ?? 0,
  intervalMs: job.intervalMs,
  nextAt: job.nextAt,
  runningSince: job.runningSince,
  progress: job.progress,
});
