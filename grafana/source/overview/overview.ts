// Builds the Overview dashboard: all accounts at a glance, and problems that need attention.

import { alertTable } from '../alert-table.ts';
import { dashboard } from '../dashboard.ts';
import { ACCOUNT_SELECTOR, errorRatio, failingRatio, STALENESS } from '../expressions.ts';
import { warnAbove } from '../panel.ts';
import { table } from '../table.ts';
import { graph } from '../time-series.ts';
import { account } from '../variables.ts';
import { now } from './now.ts';
import { quotaRow } from './quotas.ts';

const attention = [
  alertTable({ description: 'Alerts that fire now, evaluated by Prometheus or by the daemon.' }),
  table({
    title: 'Faults',
    description:
      'Proxies, targets, testers and providers that cause tests to fail. The table shows at most 100 faults.',
    width: 12,
    noValue: 'no faults',
    labels: { account: 'Account', kind: 'Kind', proxy_id: 'Proxy', url: 'Target', tester_server: 'Tester' },
    statusPage: [],
    linkedDashboard: 'proxywatch-tests',
    columns: {
      Fault: {
        expr: `topk(100, sum by (account, kind, proxy_id, url, tester_server) (proxywatch_fault{${ACCOUNT_SELECTOR}} == 1))`,
        unit: 'short',
      },
    },
  }),
  table({
    title: 'Oldest data',
    description:
      'Time since the last success of each collector, in intervals of its schedule. Data with an age above 3 is stale.',
    width: 12,
    labels: { account: 'Account', collector: 'Collector' },
    linkedDashboard: 'proxywatch-daemon',
    columns: {
      Intervals: {
        expr: `topk(10, max by (account, collector) (${STALENESS}))`,
        unit: 'short',
        decimals: 1,
        steps: warnAbove(2, 3),
      },
    },
    sortBy: ['Intervals', true],
  }),
];

const trends = [
  graph({
    title: 'Traffic',
    description: 'Bytes of the newest complete bucket at each time, by account.',
    unit: 'decbytes',
    width: 8,
    queries: {
      '{{account}}': `sum by (account) (proxywatch_traffic_last_bucket_bytes{${ACCOUNT_SELECTOR}})`,
    },
  }),
  graph({
    title: 'Failed requests',
    description:
      'Share of failed requests in the newest 15 minutes with traffic. The dashed line is the threshold of the alert TrafficErrorRatioHigh.',
    unit: 'percentunit',
    width: 8,
    alert: 'TrafficErrorRatioHigh',
    queries: { '{{account}}': errorRatio('traffic', ACCOUNT_SELECTOR, 'account') },
  }),
  graph({
    title: 'Failing proxies by product type',
    description:
      'Share of tested proxies that fail. The dashed line is the threshold of the alert ProxiesFailing.',
    unit: 'percentunit',
    width: 8,
    alert: 'ProxiesFailing',
    queries: { '{{account}} {{product_type}}': failingRatio(ACCOUNT_SELECTOR) },
  }),
];

export const overview = dashboard({
  uid: 'proxywatch-overview',
  title: 'proxywatch / Overview',
  description: 'All accounts at a glance: traffic, errors, quotas, balances, proxies and problems.',
  range: '24h',
  refresh: '1m',
  variables: [account()],
  rows: [
    { title: 'Current state', panels: now },
    { title: 'Problems', panels: attention },
    { title: 'Traffic and proxies', panels: trends },
    quotaRow,
  ],
});
