// Builds the Overview dashboard: all accounts at a glance, and problems that need attention.

import { firing, SUBJECT_LABELS } from '../alerts.ts';
import { dashboard } from '../dashboard.ts';
import { ACCOUNT_SELECTOR, errorRatio, failingRatio, STALENESS } from '../expressions.ts';
import { graph } from '../graph.ts';
import { warnAbove } from '../panel.ts';
import { table } from '../table.ts';
import { account } from '../variables.ts';
import { now } from './now.ts';
import { quotaRow } from './quotas.ts';

const attention = [
  table({
    title: 'Firing alerts',
    description: 'What fires now, by Prometheus or by the daemon; a hundred at most.',
    width: 24,
    noValue: 'nothing fires',
    labels: {
      alertname: 'Alert',
      severity: 'Severity',
      account: 'Account',
      ...Object.fromEntries(SUBJECT_LABELS.map((label) => [label, label.replaceAll('_', ' ')])),
    },
    columns: { Firing: { expr: `topk(100, ${firing})`, unit: 'short' } },
  }),
  table({
    title: 'Faults',
    description: 'Who is to blame for failing tests: a hundred at most.',
    width: 12,
    noValue: 'nobody',
    labels: { account: 'Account', kind: 'Kind', proxy_id: 'Proxy', url: 'Target', tester_server: 'Tester' },
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
      'Collectors whose last success is longest ago, in intervals of their schedules. Three are too many.',
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
      'Failed of all requests, over a quarter of an hour. The dashed line is where the alert begins.',
    unit: 'percentunit',
    width: 8,
    alert: 'TrafficErrorRatioHigh',
    queries: { '{{account}}': errorRatio('traffic', ACCOUNT_SELECTOR, 'account') },
  }),
  graph({
    title: 'Failing proxies by product type',
    description: 'Failing of all tested proxies. The dashed line is where the alert begins.',
    unit: 'percentunit',
    width: 8,
    alert: 'ProxiesFailing',
    queries: { '{{account}} {{product_type}}': failingRatio(ACCOUNT_SELECTOR) },
  }),
];

export const overview = dashboard({
  uid: 'proxywatch-overview',
  title: 'proxywatch / Overview',
  description: 'All accounts: traffic, errors, quotas, proxies, balances, and what wants attention.',
  range: '24h',
  refresh: '1m',
  variables: [account()],
  rows: [
    { title: 'Now', panels: now },
    { title: 'Attention', panels: attention },
    { title: 'Traffic and proxies', panels: trends },
    quotaRow,
  ],
});
