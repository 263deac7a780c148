// Serves GET /api/v1/status, accounts, collectors and store: the state of the daemon and what it monitors.

import { z } from 'zod';
import type { AccountSettings } from '../../collectors/context.ts';
import type { Progress } from '../../lib/progress.ts';
import type { AlertView } from '../alert-view.ts';
import type { DaemonView } from '../daemon-view.ts';
import { rfc3339, secondsOf } from '../rfc3339.ts';
import type { AccountStatus, CollectorStatus, MaintenanceStatus } from '../status-view.ts';
import { alertCounts, alertCountsJson, DAEMON_ACCOUNT } from './alert-counts.ts';
import { alertItem, alertJson, evaluatedAt } from './alerts.ts';
import { account, amount, count, currency, flag, text, time } from './fields.ts';
import { dataState } from './freshness.ts';
import { accountItemOf, itemOf } from './item.ts';
import { listRoute } from './list-route.ts';
import { fromItems } from './page.ts';
import { remoteWriteJson, remoteWriteReceiver } from './remote-write-status.ts';
import { revisionOfParts, route } from './route.ts';
import { shardsJson, shards as shardsSchema } from './shards-status.ts';

const progress = z.strictObject({ done: count, total: count.nullable(), unit: text }).nullable();

const progressJson = (progress: Progress | null) =>
  progress && { done: progress.done, total: progress.total ?? null, unit: progress.unit };

export const { schema: collector, json: collectorJson } = itemOf<CollectorStatus>()(
  'CollectorStatus',
  (from) => ({
    name: text,
    data_state: from(dataState, ({ data }) => data.state),
    data_as_of: from(
      time.nullable().describe('Time of the last success, or null while there is no data'),
      ({ data }) => rfc3339(data.asOf),
    ),
    result: z
      .enum(['ok', 'partial', 'failed'])
      .nullable()
      .describe('Result of the last run that ended, or null before the end of the first run'),
    last_attempt_at: time.nullable(),
    last_duration_seconds: from(amount.nullable(), ({ lastDurationMs }) => secondsOf(lastDurationMs)),
    last_success_at: time.nullable(),
    error: from(
      z.strictObject({ kind: text, message: text }).nullable().describe('First error of the last run'),
      ({ error }) => error && { kind: error.kind, message: error.message },
    ),
    failures_in_a_row: from(count, ({ failuresInARow }) => failuresInARow),
    interval_seconds: from(amount, ({ intervalMs }) => secondsOf(intervalMs)),
    next_run_at: from(
      time.describe('Time at which the next run is due: a slot of the schedule, plus a delay'),
      ({ nextAt }) => rfc3339(nextAt),
    ),
    running_since: time.nullable(),
    progress: from(progress, (status) => progressJson(status.progress)),
    waits_until: time
      .nullable()
      .describe('Time until which the current run waits because the provider answered 429, or null'),
  }),
);

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

type ListedAccount = Pick<AccountSettings, 'time_zone' | 'schedule_time_zone' | 'currency' | 'collectors'> & {
  readonly customerId: number | null;
  readonly otherCustomerId: number | null;
};

const { schema: accountItem, json: accountJson } = accountItemOf<ListedAccount>()('Account', (from) => ({
  customer_id: count
    .nullable()
    .describe('The provider’s customer, or null until proxywatch knows the customer'),
  other_customer_id: count
    .nullable()
    .describe(
      'The customer of the present keys, if this customer differs from the customer of the stored data',
    ),
  time_zone: from(
    text.describe('Time zone of the provider’s datetimes and days'),
    (found) => found.time_zone,
  ),
  schedule_time_zone: from(
    text.describe('Time zone of the account’s schedules'),
    (found) => found.schedule_time_zone,
  ),
  currency,
  collectors: z.array(text).describe('Collectors that are on'),
}));

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

const maintenanceJson = ({ nextAt, runningSince, progress }: MaintenanceStatus) => ({
  next_run_at: rfc3339(nextAt),
  running_since: rfc3339(runningSince),
  progress: progressJson(progress),
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
  collectors: collectors.map(collectorJson),
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
  const otherCustomerId = (await store.accounts.conflict(name))?.found ?? null;
  return [{ ...settings, customerId, otherCustomerId }];
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
        ({ name }) => name,
      ),
    toJson: accountJson,
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
    toJson: (account, each) => {
      const { name, ...json } = collectorJson(each);
      return { account, collector: name, ...json };
    },
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
