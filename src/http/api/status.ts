// Serves GET /api/v1/status, accounts, collectors and store: the state of the daemon and what it monitors.

import { z } from 'zod';
import type { Progress } from '../../lib/progress.ts';
import { SECOND } from '../../lib/time.ts';
import type {
  AccountStatus,
  AlertView,
  CollectorStatus,
  DaemonView,
  MaintenanceStatus,
} from '../daemon-view.ts';
import { rfc3339 } from '../rfc3339.ts';
import { alertCounts, alertCountsJson, DAEMON_ACCOUNT } from './alert-counts.ts';
import { alertItem, alertJson, evaluatedAt } from './alerts.ts';
import { account, amount, count, currency, flag, text, time } from './fields.ts';
import { dataState } from './freshness.ts';
import { listRoute } from './list-route.ts';
import { fromItems } from './page.ts';
import { remoteWriteJson, remoteWriteReceiver } from './remote-write-status.ts';
import { revisionOfParts, route } from './route.ts';
import { shardsJson, shards as shardsSchema } from './shards-status.ts';

const progress = z.strictObject({ done: count, total: count.nullable(), unit: text }).nullable();

export const collector = z
  .strictObject({
    name: text,
    data_state: dataState,
    data_as_of: time.nullable().describe('Time of the last success, or null while there is no data'),
    result: z
      .enum(['ok', 'partial', 'failed'])
      .nullable()
      .describe('Result of the last run that ended, or null before the end of the first run'),
    last_attempt_at: time.nullable(),
    last_duration_seconds: amount.nullable(),
    last_success_at: time.nullable(),
    error: z.strictObject({ kind: text, message: text }).nullable().describe('First error of the last run'),
    failures_in_a_row: count,
    interval_seconds: amount,
    next_run_at: time.describe('Time at which the next run is due: a slot of the schedule, plus a delay'),
    running_since: time.nullable(),
    progress,
    waits_until: time
      .nullable()
      .describe('Time until which the current run waits because the provider answered 429, or null'),
  })
  .meta({ id: 'CollectorStatus' });

export const status = z.strictObject({
  version: text,
  started_at: time,
  ready: flag,
  not_ready_reasons: z.array(text),
  maintenance: z
    .strictObject({ next_run_at: time, running_since: time.nullable(), progress })
    .describe('Hourly maintenance of the store'),
  accounts: z.array(
    z.strictObject({
      name: text,
      customer_id: count.nullable(),
      time_zone: text.describe('Time zone of the account’s days'),
      currency,
      alerts: alertCounts.describe('Alerts of the account'),
      collectors: z.array(collector),
    }),
  ),
  shards: shardsSchema,
  remote_write: z.array(remoteWriteReceiver).describe('Receivers of remote write'),
  alerts_evaluated: flag,
  alerts_evaluated_at: evaluatedAt,
  alerts_firing: alertCounts.shape.firing,
  alerts_silenced: alertCounts.shape.silenced,
  alerts_pending: alertCounts.shape.pending,
  daemon_alerts: alertCounts.describe('Alerts about the daemon itself'),
  alerts: z.array(alertItem).describe('The first 100 firing alerts'),
});

/** The status lists at most this many alerts; /api/v1/alerts has all. */
const MAX_ALERTS = 100;

const accountItem = z
  .strictObject({
    account,
    customer_id: count
      .nullable()
      .describe('The provider’s customer, or null until proxywatch knows the customer'),
    other_customer_id: count
      .nullable()
      .describe(
        'The customer of the present keys, if this customer differs from the customer of the stored data',
      ),
    time_zone: text.describe('Time zone of the provider’s datetimes and days'),
    schedule_time_zone: text.describe('Time zone of the account’s schedules'),
    currency,
    collectors: z.array(text).describe('Collectors that are on'),
  })
  .meta({ id: 'Account' });

const collectorItem = collector
  .omit({ name: true })
  .extend({ account, collector: text })
  .meta({ id: 'Collector' });

const store = z.strictObject({
  size_bytes: count,
  wal_size_bytes: count,
  epoch_began_at: time
    .nullable()
    .describe('Start of the present epoch. At this time, the counters of provider data began at 0'),
});

const progressJson = (progress: Progress | null) =>
  progress && { done: progress.done, total: progress.total ?? null, unit: progress.unit };

const maintenanceJson = ({ nextAt, runningSince, progress }: MaintenanceStatus) => ({
  next_run_at: rfc3339(nextAt),
  running_since: rfc3339(runningSince),
  progress: progressJson(progress),
});

const collectorJson = ({ progress, error, data, ...collector }: CollectorStatus) => ({
  data_state: data.state,
  data_as_of: rfc3339(data.asOf),
  result: collector.result,
  last_attempt_at: rfc3339(collector.lastAttemptAt),
  last_duration_seconds: collector.lastDurationMs === null ? null : collector.lastDurationMs / SECOND,
  last_success_at: rfc3339(collector.lastSuccessAt),
  error: error && { kind: error.kind, message: error.message },
  failures_in_a_row: collector.failuresInARow,
  interval_seconds: collector.intervalMs / SECOND,
  next_run_at: rfc3339(collector.nextAt),
  running_since: rfc3339(collector.runningSince),
  progress: progressJson(progress),
  waits_until: rfc3339(collector.waitsUntil),
});

const accountStatusJson = (
  alerts: AlertView,
  { name, customerId, timeZone, currency, collectors }: AccountStatus,
) => ({
  name,
  customer_id: customerId,
  time_zone: timeZone,
  currency,
  alerts: alertCountsJson(alerts, name),
  collectors: collectors.map((each) => ({ name: each.name, ...collectorJson(each) })),
});

export const statusJson = async (view: DaemonView): Promise<z.output<typeof status>> => {
  const [{ version, startedAt, maintenance, accounts, remoteWrite }, reasons] = await Promise.all([
    view.status(),
    view.notReadyReasons(),
  ]);
  const { alerts } = view;
  const { firing, silenced, pending } = alertCountsJson(alerts);
  return {
    version,
    started_at: rfc3339(startedAt),
    ready: reasons.length === 0,
    not_ready_reasons: [...reasons],
    maintenance: maintenanceJson(maintenance),
    accounts: accounts.map((each) => accountStatusJson(alerts, each)),
    shards: shardsJson(view.shards()),
    remote_write: remoteWrite.map(remoteWriteJson),
    alerts_evaluated: alerts.isEvaluated,
    alerts_evaluated_at: rfc3339(alerts.evaluatedAt),
    alerts_firing: firing,
    alerts_silenced: silenced,
    alerts_pending: pending,
    daemon_alerts: alertCountsJson(alerts, DAEMON_ACCOUNT),
    alerts: alerts.firing(MAX_ALERTS).map(alertJson),
  };
};

const listAccounts = async (view: DaemonView, name: string) => {
  const found = view.account(name);
  if (!found) return [];
  const { settings, store } = found;
  const customerId = (await store.accounts.customer(name)) ?? null;
  return [{ settings, customerId, conflict: await store.accounts.conflict(name) }];
};

export const STATUS_ROUTES = [
  route({
    path: '/api/v1/status',
    summary: 'Status of the daemon, its accounts and collectors, without pages',
    query: {},
    answer: status,
    read: ({ view }) => statusJson(view),
  }),
  listRoute({
    path: '/api/v1/accounts',
    summary: 'The configured accounts',
    query: {},
    item: accountItem,
    revision: revisionOfParts(['accounts']),
    list: (view) =>
      fromItems(
        (name) => listAccounts(view, name),
        ({ settings }) => settings.name,
      ),
    toJson: (account, { settings, customerId, conflict }) => ({
      account,
      customer_id: customerId,
      other_customer_id: conflict?.found ?? null,
      time_zone: settings.time_zone,
      schedule_time_zone: settings.schedule_time_zone,
      currency: settings.currency,
      collectors: [...settings.collectors],
    }),
  }),
  listRoute({
    path: '/api/v1/collectors',
    summary: 'Collectors and their runs',
    query: {},
    item: collectorItem,
    revision: async (view) => JSON.stringify(await view.status()),
    list: (view) =>
      fromItems(
        async (name) => (await view.status()).accounts.find((each) => each.name === name)?.collectors ?? [],
        ({ name }) => name,
      ),
    toJson: (account, each) => ({ account, collector: each.name, ...collectorJson(each) }),
  }),
  route({
    path: '/api/v1/store',
    summary: 'Size and epoch of the store',
    query: {},
    answer: store,
    revision: async (view) => JSON.stringify(view.storeStatus()),
    read: async ({ view }) => {
      const { bytes, walBytes, epochBeganAt } = view.storeStatus();
      return { size_bytes: bytes, wal_size_bytes: walBytes, epoch_began_at: rfc3339(epochBeganAt) };
    },
  }),
];
