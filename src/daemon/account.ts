// One account of the daemon: its client of the provider's API, and a job for each collector.

import { exposeThresholds } from '../alerts/families.ts';
import { exposeAccount, exposeRun } from '../collectors/common-families.ts';
import { type AccountSettings, COLLECTOR_NAMES, type CollectorName } from '../collectors/context.ts';
import { isUnchanged } from '../config/unchanged.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { DaemonMetrics } from '../metrics/daemon-metrics.ts';
import type { Exposition } from '../metrics/exposition.ts';
import type { ProviderClient } from '../provider/client.ts';
import type { Endpoints } from '../provider/endpoints.ts';
import type { Contradiction } from '../provider/resources/graph-totals.ts';
import { describeFailure } from '../schedule/failure.ts';
import type { Job } from '../schedule/job.ts';
import type { Store } from '../store/store.ts';
import { AccountClient } from './account-client.ts';
import { AccountEndpoints } from './account-endpoints.ts';
import { notingDropped } from './account-state.ts';
import { connectTo } from './connect.ts';
import { type Account, accountSettings, collectorsOf, type Settings } from './settings.ts';

/** What the accounts of a daemon share. */
export interface AccountDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly exposition: Exposition;
  readonly metrics: DaemonMetrics;
  readonly userAgent: string;
}

export interface AccountJob extends Job {
  readonly collector: CollectorName;
  /** As the label `endpoint` names them. */
  readonly endpoints: readonly string[];
  /** Makes what the store must hold before the first run. Throws StoreError. */
  open(): Promise<void>;
  /** Subjects without series of their own because of a cap, as it was last rendered; undefined where it has none. */
  readonly seriesDropped: number | undefined;
  /** Has it opened again before its next run, as another configuration may have been at its rows. */
  reopen(): void;
}

export interface RunningAccount {
  readonly name: string;
  readonly settings: Account;
  /** The settings as its collectors see them. */
  readonly context: AccountSettings;
  /** What its thresholds are to be; they take effect when `thresholds.current` is set to it. */
  readonly wantedThresholds: Thresholds;
  readonly thresholds: LiveThresholds;
  readonly client: AccountClient;
  readonly jobs: readonly AccountJob[];
}

type Thresholds = AccountSettings['thresholds'];

/** Shared by all jobs of an account over reloads: another threshold is no reason to poll anew, which may cost money. */
export interface LiveThresholds {
  current: Thresholds;
}

/**
 * The account by these settings, not yet opened. Of the same account by the settings `before` it takes over the
 * client, which is still by those, and the jobs of which nothing has changed.
 */
export const arrangeAccount = (
  account: Account,
  settings: Settings,
  dependencies: AccountDependencies,
  before?: RunningAccount,
): RunningAccount => {
  const { thresholds: wantedThresholds, ...others } = accountSettings(account, settings);
  const thresholds = before?.thresholds ?? { current: wantedThresholds };
  const context: AccountSettings = {
    ...others,
    get thresholds() {
      return thresholds.current;
    },
  };
  const client =
    before?.client ??
    new AccountClient(account, new AccountEndpoints(account.name, dependencies), (settings, endpoints) =>
      connect(settings, endpoints, dependencies),
    );
  const isSameAround = before && isUnchanged(aroundCollectors(before.context), aroundCollectors(context));
  const keptJob = ({ collector: { name, compares = [], shows = [] } }: Enabled): AccountJob | undefined =>
    isSameAround &&
    [name, ...compares].every((key) => isUnchanged(before.settings[key], account[key])) &&
    shows.every((other) => isOn(before.context, other) === isOn(context, other))
      ? before.jobs.find(({ collector }) => collector === name)
      : undefined;
  const jobs = collectorsOf(account).map(
    (enabled) => keptJob(enabled) ?? jobOf(context, enabled, client, dependencies),
  );
  return { name: account.name, settings: account, context, wantedThresholds, thresholds, client, jobs };
};

/** What the client alone is made of: another one is no matter to the collectors. */
const CLIENT_SETTINGS = [
  'base_url',
  'public_key',
  'private_key',
  'requests_per_second',
  'request_timeout',
] as const;

/** Whether another client is wanted. */
export const hasOtherClient = (before: Account, after: Account): boolean =>
  CLIENT_SETTINGS.some((key) => !isUnchanged(before[key], after[key]));

const isOn = ({ collectors }: AccountSettings, name: CollectorName): boolean => collectors.includes(name);

const aroundCollectors = (context: AccountSettings): object => {
  const others: ReadonlySet<string> = new Set([
    ...CLIENT_SETTINGS,
    ...COLLECTOR_NAMES,
    ...['collectors', 'thresholds', 'alerts'],
  ]);
  return Object.fromEntries(Object.entries(context).filter(([key]) => !others.has(key)));
};

const connect = (
  settings: Account,
  endpoints: Endpoints,
  { clock, metrics, userAgent }: AccountDependencies,
): ProviderClient => {
  const { name } = settings;
  return connectTo(settings, {
    ...{ clock, userAgent, endpoints },
    observer: {
      onResponse: ({ endpoint, code, durationMs }) => metrics.requestEnded(name, endpoint, code, durationMs),
      onServerDate: (offsetMs) => metrics.clockSeen(name, offsetMs),
    },
  });
};

type Enabled = ReturnType<typeof collectorsOf>[number];

const jobOf = (
  account: AccountSettings,
  { collector, options }: Enabled,
  client: AccountClient,
  { store, clock, log, exposition, metrics }: AccountDependencies,
): AccountJob => {
  const reading = { account, options, store, clock };
  const inconsistent = (endpoint: string, what: Contradiction): void =>
    metrics.answerInconsistent(account.name, endpoint, what);
  const jobLog = log.child({ account: account.name, collector: collector.name });
  let isOpen = false;
  let state: unknown;
  let dropped: number | undefined;
  const open = async (): Promise<void> => {
    state = await collector.open?.(reading);
    await store.runs.watch(account.name, collector.name, clock.now());
    isOpen = true;
  };
  return {
    account: account.name,
    collector: collector.name,
    endpoints: collector.endpoints,
    after: collector.after ?? [],
    shows: collector.shows ?? [],
    schedules: [options.schedule, ...(collector.schedules?.(options) ?? [])],
    zone: account.schedule_time_zone,
    open,
    get seriesDropped() {
      return dropped;
    },
    reopen: () => {
      isOpen = false;
    },
    collect: async (signal, progress, endsAt) => {
      if (await store.followClock(clock.now()))
        jobLog.warn({}, 'the clock went back: times ahead were stored');
      client.endpoints.live.followClock();
      if (!isOpen) await open();
      try {
        return await client.use((client) =>
          collector.collect(
            { ...reading, client: client.forRun(endsAt), log: jobLog, signal, progress, inconsistent },
            state,
          ),
        );
      } finally {
        await client.endpoints.save().catch((error) => {
          jobLog.error({ ...describeFailure(error) }, 'the state of the endpoints could not be stored');
        });
      }
    },
    render: async () => {
      await exposition.render({ collector: collector.name, account: account.name }, async (sink) => {
        await collector.expose(
          reading,
          notingDropped(sink, (count) => {
            dropped = count;
          }),
        );
        await exposeRun(account.name, collector.name, store, sink);
      });
      await exposition.render({ collector: '', account: account.name }, async (sink) => {
        await exposeAccount(account.name, store, sink);
        exposeThresholds(account.thresholds, sink);
      });
    },
    isThrottled: () => client.isThrottled,
    isUnreached: () => client.isUnreached,
  };
};
