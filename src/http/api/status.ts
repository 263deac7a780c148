// Serves GET /api/v1/status, accounts, collectors, store and provider-report: the state of the daemon and what it monitors.

import { z } from 'zod';
import type { AccountSettings } from '../../collectors/context.ts';
import { alertItem, alertJson } from '../alert-view.ts';
import type { DaemonView } from '../daemon-view.ts';
import { providerReport } from '../provider-report.ts';
import {
  accountStatus,
  collector,
  collectorJson,
  maintenance,
  maintenanceJson,
  remoteWriteJson,
  remoteWriteReceiver,
  shards,
  shardsJson,
  store,
  storeJson,
} from '../status-view.ts';
import { alertCounts, alertCountsJson, evaluatedAt } from './alerts.ts';
import { account, accountItemOf, currency, flag, jsonOf, orNull, rfc3339, text, time } from './item.ts';
import { shortListRoute } from './list-route.ts';
import { DAEMON_ACCOUNT, revisionOfParts, route } from './route.ts';

export const status = z.strictObject({
  version: text,
  started_at: time,
  ready: flag,
  not_ready_reasons: z.array(text),
  maintenance,
  accounts: z.array(
    accountStatus.extend({
      alerts: alertCounts.describe('Alerts of the account'),
      collectors: z.array(collector),
    }),
  ),
  shards,
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

export const statusJson = async (view: DaemonView): Promise<z.output<typeof status>> => {
  const [{ version, startedAt, accounts, ...found }, reasons] = await Promise.all([
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
    maintenance: maintenanceJson(found.maintenance),
    accounts: accounts.map((each) => ({
      ...jsonOf(accountStatus)(each),
      alerts: alertCountsJson(alerts, each.name),
      collectors: each.collectors.map(collectorJson),
    })),
    shards: shardsJson(view.shards()),
    remote_write: found.remoteWrite.map(remoteWriteJson),
    alerts_evaluated: alerts.isEvaluated,
    alerts_evaluated_at: rfc3339(alerts.evaluatedAt),
    alerts_firing: firing,
    alerts_silenced: silenced,
    alerts_pending: pending,
    daemon_alerts: alertCountsJson(alerts, DAEMON_ACCOUNT),
    alerts: alerts.firing(MAX_ALERTS).map(alertJson),
  };
};

type ListedAccount = AccountSettings & {
  readonly customerId: number | null;
  readonly otherCustomerId: number | null;
};

const { schema: accountItem, json: accountJson } = accountItemOf<ListedAccount>()('Account', (from) => ({
  customer_id: orNull.count.describe('The provider’s customer, or null until proxywatch knows the customer'),
  other_customer_id: orNull.count.describe(
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

export const STATUS_ROUTES = [
  route({
    path: '/api/v1/status',
    summary: 'Status of the daemon, its accounts and collectors, without pages',
    query: {},
    answer: status,
    read: ({ view }) => statusJson(view),
  }),
  shortListRoute({
    path: '/api/v1/accounts',
    summary: 'The configured accounts',
    query: {},
    item: accountItem,
    revision: revisionOfParts(['accounts']),
    items: async ({ settings, store: { accounts } }) => {
      const customerId = (await accounts.customer(settings.name)) ?? null;
      const otherCustomerId = (await accounts.conflict(settings.name))?.found ?? null;
      return [{ ...settings, customerId, otherCustomerId }];
    },
    idOf: ({ name }) => name,
    toJson: accountJson,
  }),
  shortListRoute({
    path: '/api/v1/collectors',
    summary: 'Collectors and their runs',
    query: {},
    item: collectorItem,
    revision: async (view) => JSON.stringify(await view.status()),
    items: async ({ settings }, _query, view) =>
      (await view.status()).accounts.find(({ name }) => name === settings.name)?.collectors ?? [],
    idOf: ({ name }) => name,
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
    read: async ({ view }) => storeJson(view.storeStatus()),
  }),
];

export const PROVIDER_REPORT_ROUTE = route({
  path: '/api/v1/provider-report',
  summary: 'How the provider’s answers have differed from its documentation since the start of the daemon',
  query: {},
  answer: providerReport,
  read: async ({ view }) => view.providerReport(),
});
