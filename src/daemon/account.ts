// Builds one account of the daemon: its client for the provider's API, and a job for each collector.

import { exposeThresholds } from '../alerts/families.ts';
import type { ProbeSubject, RequestedProbe } from '../collectors/collector.ts';
import { exposeAccount } from '../collectors/common-families.ts';
import { type AccountSettings, COLLECTOR_NAMES, type CollectorName } from '../collectors/context.ts';
import { isUnchanged } from '../config/unchanged.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { DaemonMetrics } from '../metrics/daemon-metrics.ts';
import type { Exposition } from '../metrics/exposition.ts';
import type { Probe } from '../prober/probe.ts';
import type { ProviderClient } from '../provider/client.ts';
import type { Endpoints } from '../provider/endpoints.ts';
import { AccountReport } from '../provider/report/account-report.ts';
import type { Contradiction } from '../provider/resources/graph-totals.ts';
import { describeFailure } from '../schedule/failure.ts';
import type { Job } from '../schedule/job.ts';
import type { Store } from '../store/store.ts';
import { AccountClient, createAccountClient } from './account-client.ts';
import { AccountEndpoints } from './account-endpoints.ts';
import { watchDroppedSeries } from './account-state.ts';
import { RunMetrics } from './run-metrics.ts';
import { type Account, accountSettings, collectorsOf, type Settings } from './settings.ts';
import { WrongServerLog } from './wrong-server.ts';

/** The services that all accounts of a daemon share. */
export interface AccountDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly exposition: Exposition;
  readonly metrics: DaemonMetrics;
  /** Called after every request; `code` is an HTTP status, or `timeout`, `network` or `bad_response`. */
  readonly onRequest: (account: string, code: string) => void;
  readonly userAgent: string;
  readonly probe: Probe;
}

export interface AccountJob extends Job {
  readonly collector: CollectorName;
  /** Endpoints that the collector calls, named as in the label `api_endpoint`. */
  readonly endpoints: readonly string[];
  /** Creates the rows that the store must hold before the first run. Throws StoreError. */
  open(): Promise<void>;
  /** Makes one probe now; undefined if the collector makes none. Throws StoreError. */
  readonly probe: ((subject: ProbeSubject, signal: AbortSignal) => Promise<RequestedProbe>) | undefined;
  /** Number of series that a cap left out at the last rendering; undefined if the collector has no cap. */
  readonly seriesDropped: number | undefined;
  /** Makes the next run open the collector again, because another configuration may have changed its rows. */
  reopenBeforeNextRun(): void;
}

export interface RunningAccount {
  readonly name: string;
  readonly settings: Account;
  /** The settings in the form that its collectors use. */
  readonly context: AccountSettings;
  /** The configured values; they take effect when `live.current` is set to them. */
  readonly nextLive: LiveValues;
  readonly live: LiveSettings;
  readonly client: AccountClient;
  /** What the answers did differently from their documentation since the start, or since `base_url` changed. */
  readonly report: AccountReport;
  /** The log of the account's runs. */
  readonly log: WrongServerLog;
  readonly jobs: readonly AccountJob[];
}

type LiveValues = Pick<AccountSettings, 'thresholds' | 'collectors'>;

/**
 * All jobs of an account share it across reloads: a new threshold or another collector is no reason to poll again,
 * which may cost money.
 */
export interface LiveSettings {
  current: LiveValues;
}

/**
 * Builds the account with these settings, not yet opened. It reuses from `before`, the same account with its former
 * settings, the unchanged jobs and the client. The client keeps the former settings until its `replace` is called.
 */
export const buildAccount = (
  account: Account,
  settings: Settings,
  dependencies: AccountDependencies,
  before?: RunningAccount,
): RunningAccount => {
  const { thresholds, collectors, ...others } = accountSettings(account, settings);
  const nextLive: LiveValues = { thresholds, collectors };
  const live = before?.live ?? { current: nextLive };
  const context = contextOf(others, live);
  const log = before?.log ?? new WrongServerLog(dependencies.log.child({ account: account.name }));
  const report = before?.report ?? new AccountReport(account.time_zone);
  report.timeZone = account.time_zone;
  const client =
    before?.client ??
    new AccountClient(account, new AccountEndpoints(account.name, dependencies), (settings, endpoints) =>
      createClient(settings, { endpoints, log, report }, dependencies),
    );
  const hasSameSharedSettings =
    before && isUnchanged(sharedSettingsOf(before.context), sharedSettingsOf(context));
  const findReusableJob = ({
    collector: { name, usesSettingsOf = [] },
  }: EnabledCollector): AccountJob | undefined =>
    hasSameSharedSettings &&
    [name, ...usesSettingsOf].every((key) => isUnchanged(before.settings[key], account[key]))
      ? before.jobs.find(({ collector }) => collector === name)
      : undefined;
  const jobs = collectorsOf(account).map(
    (enabled) => findReusableJob(enabled) ?? createJob(context, enabled, client, log, dependencies),
  );
  return {
    ...{ name: account.name, settings: account, context, nextLive, live },
    ...{ client, report, log, jobs },
  };
};

/**
 * Jobs that a reload reuses keep their context. It is created here, because a closure of `buildAccount` would also keep
 * the account before, so each reload would keep one account more.
 */
const contextOf = (others: Omit<AccountSettings, keyof LiveValues>, live: LiveSettings): AccountSettings => ({
  ...others,
  get thresholds() {
    return live.current.thresholds;
  },
  get collectors() {
    return live.current.collectors;
  },
});

/** Settings that only the client uses, so that a change of them restarts no collector. */
const CLIENT_SETTINGS = [
  'base_url',
  'public_key',
  'private_key',
  'requests_per_second',
  'request_timeout',
] as const;

/** Whether the change of settings requires a new client. */
export const needsNewClient = (before: Account, after: Account): boolean =>
  CLIENT_SETTINGS.some((key) => !isUnchanged(before[key], after[key]));

const sharedSettingsOf = (context: AccountSettings): object => {
  const others: ReadonlySet<string> = new Set([
    ...CLIENT_SETTINGS,
    ...COLLECTOR_NAMES,
    ...['collectors', 'thresholds', 'alerts'],
  ]);
  return Object.fromEntries(Object.entries(context).filter(([key]) => !others.has(key)));
};

/** What all clients of an account share. */
interface SharedByClients {
  readonly endpoints: Endpoints;
  readonly log: WrongServerLog;
  readonly report: AccountReport;
}

const NOT_OBSERVED =
  'a request could not be observed, so the provider report and the metrics of requests are incomplete. Polling goes on';

const createClient = (
  settings: Account,
  { endpoints, log, report }: SharedByClients,
  { clock, metrics, onRequest, userAgent, log: accountsLog }: AccountDependencies,
): ProviderClient => {
  const { name } = settings;
  log.clientReplaced();
  report.clientCreated(settings.base_url);
  return createAccountClient(settings, {
    ...{ clock, userAgent, endpoints },
    observer: {
      onResponse: ({ endpoint, code, durationMs }) => {
        metrics.requestEnded(name, endpoint, code, durationMs);
        onRequest(name, code);
        report.requestEnded(endpoint, code);
        if (code.startsWith('2')) log.requestSucceeded();
      },
      onServerDate: (offsetMs) => {
        metrics.clockOffsetMeasured(name, offsetMs);
        report.clockMeasured(offsetMs);
      },
      onAnswer: (answer) => report.observe(answer),
      onFailure: (error) =>
        accountsLog.child({ account: name }).warn({ ...describeFailure(error) }, NOT_OBSERVED),
    },
  });
};

type EnabledCollector = ReturnType<typeof collectorsOf>[number];

const createJob = (
  account: AccountSettings,
  { collector, options }: EnabledCollector,
  client: AccountClient,
  accountLog: WrongServerLog,
  { store, clock, exposition, metrics, probe }: AccountDependencies,
): AccountJob => {
  const readContext = { account, options, store, clock };
  const countContradiction = (endpoint: string, what: Contradiction): void =>
    metrics.answerInconsistent(account.name, endpoint, what);
  const collectorLog = accountLog.child({ collector: collector.name });
  const probeOnRequest = collector.probeOnRequest?.bind(collector);
  let isOpen = false;
  let state: unknown;
  let dropped: number | undefined;
  const runMetrics = new RunMetrics(
    { account: account.name, collector: collector.name },
    { exposition, store, log: collectorLog },
  );
  const open = async (): Promise<void> => {
    state = await collector.open?.(readContext);
    await store.runs.watch(account.name, collector.name, clock.now());
    isOpen = true;
  };
  return {
    account: account.name,
    collector: collector.name,
    log: collectorLog,
    endpoints: collector.endpoints,
    after: collector.after ?? [],
    renderAfter: collector.showsDataOf ?? [],
    schedules: [options.schedule, ...(collector.schedules?.(options) ?? [])],
    zone: account.schedule_time_zone,
    quietMs: collector.quietMs?.(options),
    open,
    probe:
      probeOnRequest &&
      ((subject, signal) => probeOnRequest({ ...readContext, probe, signal }, state, subject)),
    get seriesDropped() {
      return dropped;
    },
    reopenBeforeNextRun: () => {
      isOpen = false;
    },
    collect: async (signal, progress, endsAt) => {
      if (await store.correctFutureTimes(clock.now(), account.name))
        collectorLog.warn(
          {},
          "this machine's clock went back, so proxywatch corrected the stored times that were in the future",
        );
      client.endpoints.tracker.clampFutureTimes();
      if (!isOpen) await open();
      let isFailed = true;
      const waits = runMetrics.runBegins();
      try {
        const outcome = await client.use((client) =>
          collector.collect(
            {
              ...readContext,
              client: client.forRun(endsAt, waits),
              log: collectorLog,
              signal,
              probe,
              progress,
              countContradiction,
            },
            state,
          ),
        );
        isFailed = false;
        return outcome;
      } finally {
        client.runEnded(collector.name, isFailed);
        await runMetrics.runEnded();
        await client.endpoints.save().catch((error) => {
          collectorLog.error(
            { ...describeFailure(error) },
            'proxywatch could not store the state of the endpoints',
          );
        });
      }
    },
    render: async () => {
      await exposition.render({ collector: collector.name, account: account.name }, async (sink) => {
        await collector.expose(
          readContext,
          watchDroppedSeries(sink, (count) => {
            dropped = count;
          }),
        );
      });
      await runMetrics.render();
      await exposition.render({ collector: '', account: account.name }, async (sink) => {
        await exposeAccount(account, store, sink);
        exposeThresholds(account.thresholds, sink);
      });
    },
    get waitsUntil() {
      return runMetrics.waitsUntil;
    },
    isThrottled: () => client.isThrottled || client.isAnyRefused(collector.endpoints),
    isProviderUnreached: () => client.isUnreached,
    trouble: () => client.trouble,
  };
};
