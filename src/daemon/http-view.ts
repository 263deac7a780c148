// Gives the HTTP server the daemon's state, and whether it is ready; /-/healthy says whether it needs a restart.

import { configuredAlert } from '../alerts/settings.ts';
import { isStoreFailing, STORE_FAILING_ALERT } from '../alerts/table/daemon.ts';
import { ALERTS } from '../alerts/table.ts';
import { COLLECTOR_NAMES, type CollectorName } from '../collectors/context.ts';
import { type Freshness, readFreshness } from '../collectors/freshness.ts';
import type { DaemonView } from '../http/daemon-view.ts';
import type { AccountStatus, CollectorStatus, RemoteWriteStatus, ShardsStatus } from '../http/status-view.ts';
import type { Clock } from '../lib/clock.ts';
import { type Log, silentLog } from '../lib/log.ts';
import { negotiate } from '../metrics/negotiate.ts';
import { providerReport } from '../provider/report/account-report.ts';
import type { JobStatus } from '../schedule/job.ts';
import type { RunState } from '../store/account-store.ts';
import type { RunningAccount } from './account.ts';
import { accountView } from './account-view.ts';
import { createAlertView, createSilenceView } from './alert-view.ts';
import type { App } from './app.ts';
import { createNoticeView } from './notices.ts';
import type { RemoteWriter } from './remote-write/writer.ts';
import { globalAlertChanges, type Settings } from './settings.ts';
import { ALONE } from './shards/shard.ts';
import { createTestView } from './tests/test-view.ts';

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
    shards: () => shardsStatus(app.settings),
    collectors: () => COLLECTOR_NAMES,
    alertNames: () => ALERTS.map(({ name }) => name),
    scrape: ({ accept, acceptEncoding, accounts, collectors }, isGone) =>
      app.exposition.scrape({ ...negotiate(accept, acceptEncoding), accounts, collectors }, isGone),
    status: async () => ({
      version,
      startedAt,
      maintenance: app.maintenance.status(),
      accounts: await Promise.all(app.accounts.map((account) => accountStatus(app, account, clock.now()))),
      remoteWrite: app.remoteWriting.writers.map((writer) => remoteWriteStatus(writer, clock.now())),
    }),
    notReadyReasons: createReadiness(app),
    version,
    account: (name) => accountView(app, clock, name),
    configurationRevision,
    revision: (parts, spanMs) => {
      const span = spanMs === undefined ? '' : Math.floor(clock.now() / spanMs);
      return [configurationRevision(), app.store.revision(parts), span].join(' ');
    },
    storeStatus: () => ({ ...app.store.size(), epochBeganAt: app.store.epoch.beganAt }),
    tests: createTestView(app, clock, configurationRevision),
    alerts: createAlertView(app.alerting),
    alertHistory: app.store.alertHistory,
    silences: createSilenceView(app, clock, log),
    notices: createNoticeView(app),
    probes: app.probeRequests,
    testsNow: app.testsNow,
    providerReport: () =>
      providerReport(
        version,
        app.accounts.map(({ report }) => report),
      ),
  };
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
    currency: settings.currency,
    collectors: (await Promise.all(collectors)).flat(),
  };
};

const collectorStatus = (
  job: JobStatus,
  last: RunState | undefined,
  { state, asOf }: Freshness,
): CollectorStatus => ({
  name: job.collector,
  dataState: state,
  dataAsOf: asOf,
  result: last?.result ?? null,
  lastAttemptAt: last?.startedAt ?? null,
  lastDurationMs: last ? Math.max(0, last.finishedAt - last.startedAt) : null,
  lastSuccessAt: last?.lastSuccessAt ?? null,
  error: last?.errorKind ? { kind: last.errorKind, message: last.errorMessage ?? '' } : null,
  failuresInARow: last?.failures ?? 0,
  intervalMs: job.intervalMs,
  nextRunAt: job.nextAt,
  runningSince: job.runningSince,
  progress: job.progress,
  waitsUntil: job.waitsUntil,
});

const shardsStatus = ({ accounts, server, sharding }: Settings): ShardsStatus => ({
  ...(sharding ?? {
    ...ALONE,
    owners: accounts.map(({ name }) => ({ account: name, shard: ALONE.index, isPinned: false })),
  }),
  urls: server.shards,
});

const remoteWriteStatus = (writer: RemoteWriter, now: number): RemoteWriteStatus => {
  const { name, host, waitingSince, lastAcceptedAt, lastError, counts } = writer;
  return {
    ...{ name, host, waitingSince: waitingSince ?? null },
    lagMs: waitingSince === undefined ? null : Math.max(0, now - (waitingSince ?? now)),
    lastSuccessAt: lastAcceptedAt ?? null,
    lastError: lastError ?? null,
    samples: counts ?? null,
  };
};

/** Returns the reasons why the daemon is not ready. It writes nothing, so frequent requests cost little. */
export const createReadiness = (app: App): (() => Promise<readonly string[]>) => {
  let haveAllCollectorsRun = false;
  return async () => {
    // Once every collector has finished a first run, this stays so: alerts report later failures.
    const pendingRuns = haveAllCollectorsRun ? [] : await pendingFirstRuns(app);
    haveAllCollectorsRun ||= pendingRuns.length === 0;
    return [...storeReasons(app), ...pendingRuns];
  };
};

/** Applies while the condition of StoreFailing holds, even if that alert is turned off. */
const storeReasons = ({ settings, metrics }: App): string[] => {
  const { writeFailures } = metrics.store;
  const { threshold } = configuredAlert(STORE_FAILING_ALERT, globalAlertChanges(settings.alerts));
  if (!isStoreFailing({ writeFailures, threshold })) return [];
  return [`the store ${settings.store.path} rejects writes: the last ${writeFailures} have failed`];
};

const pendingFirstRuns = async ({ accounts, store }: App): Promise<string[]> => {
  const reasons: string[] = [];
  for (const { name, jobs } of accounts) {
    const finished = new Set((await store.runs.states(name)).map(({ collector }) => collector));
    const waiting = jobs.filter(({ collector }) => !finished.has(collector));
    reasons.push(
      ...waiting.map(({ collector }) => `${name}: ${collector} has not finished its first run yet`),
    );
  }
  return reasons;
};
