// Builds one account of the daemon: its client for the provider's API, and a job for each collector.

import { type AccountSettings, COLLECTOR_NAMES } from '../collectors/context.ts';
import { isUnchanged } from '../config/unchanged.ts';
import type { ProviderClient } from '../provider/client.ts';
import type { Endpoints } from '../provider/endpoints.ts';
import { AccountReport } from '../provider/report/account-report.ts';
import { describeFailure } from '../schedule/failure.ts';
import { AccountClient, createAccountClient } from './account-client.ts';
import { AccountEndpoints } from './account-endpoints.ts';
import {
  type AccountDependencies,
  type AccountJob,
  createJob,
  type EnabledCollector,
} from './account-job.ts';
import { type Account, accountSettings, collectorsOf, type Settings } from './settings.ts';
import { WrongServerLog } from './wrong-server.ts';

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
  readonly log: WrongServerLog;
  readonly jobs: readonly AccountJob[];
}

type LiveValues = Pick<AccountSettings, 'thresholds' | 'collectors'>;

/** All jobs of an account share it across reloads: a changed setting is no reason to poll again, which may cost money. */
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

/** The context of reused jobs. A closure of `buildAccount` would keep the account before, and each reload one more. */
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
        metrics.provider.clockOffsetMeasured(name, offsetMs);
        report.clockMeasured(offsetMs);
      },
      onAnswer: (answer) => report.observe(answer),
      onFailure: (error) =>
        accountsLog.child({ account: name }).warn({ ...describeFailure(error) }, NOT_OBSERVED),
    },
  });
};
