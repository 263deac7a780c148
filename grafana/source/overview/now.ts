// Builds the Overview dashboard's first row: numbers of all accounts together, and a table of accounts.

import { firingCount } from '../alerts.ts';
import { BALANCE_COLUMNS } from '../balance-columns.ts';
import { ACCOUNT_SELECTOR, errorRatio, IS_STALE, usersInStates } from '../expressions.ts';
import { NEUTRAL, redAbove, warnAbove } from '../panel.ts';
import { stat } from '../stat.ts';
import { table } from '../table.ts';

export const now = [
  stat({
    title: 'Firing alerts',
    description: 'Shows the number of alerts that fire now, whether Prometheus or the daemon evaluates them.',
    unit: 'short',
    width: 3,
    steps: redAbove(1),
    queries: { firing: firingCount },
  }),
  stat({
    title: 'Stale collectors',
    description:
      'Shows the number of collectors that have not succeeded for three intervals, or never. Their metrics keep their last values.',
    unit: 'short',
    width: 3,
    steps: redAbove(1),
    queries: { stale: `sum${IS_STALE}` },
  }),
  stat({
    title: 'Faults',
    description:
      'Shows the number of proxies, targets, testers and providers that are to blame for failing tests.',
    unit: 'short',
    width: 3,
    steps: redAbove(1),
    queries: { faults: `sum(proxywatch_fault{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Failing proxies',
    description:
      'Shows the number of proxies that had a failure in each of their last rounds of tests, whatever the cause.',
    unit: 'short',
    width: 3,
    steps: warnAbove(1, 10),
    queries: { failing: `sum(proxywatch_proxies_failing{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Exhausted quotas',
    description:
      'Shows the number of quotas of proxy users with nothing left. A user may have a quota for each product type.',
    unit: 'short',
    width: 3,
    steps: redAbove(1),
    queries: { exhausted: usersInStates('exhausted') },
  }),
  stat({
    title: 'Low quotas',
    description:
      'Shows the number of quotas that have less than 10% left, or that the forecast expects to be used up within three days.',
    unit: 'short',
    width: 3,
    steps: warnAbove(1, 10),
    queries: { 'low or soon': usersInStates('low|soon') },
  }),
  stat({
    title: 'Failed requests',
    description: 'Shows the share of requests that failed, in the newest buckets of 15 minutes.',
    unit: 'percentunit',
    width: 3,
    steps: warnAbove(0.1, 0.2),
    noValue: 'no requests',
    queries: { failed: errorRatio('traffic', ACCOUNT_SELECTOR, '') },
  }),
  stat({
    title: 'Current traffic',
    description:
      'Shows the bytes of the newest complete bucket. A bucket is a minute, or an hour for accounts with hourly buckets.',
    unit: 'decbytes',
    width: 3,
    queries: { bytes: `sum(proxywatch_traffic_last_bucket_bytes{${ACCOUNT_SELECTOR}})` },
  }),
  table({
    title: 'Accounts',
    description: 'Shows one row for each account. The name of an account links to its Traffic dashboard.',
    width: 24,
    labels: { account: 'Account' },
    linkedDashboard: 'proxywatch-traffic',
    columns: {
      'Traffic in 24 hours': {
        expr: `sum by (account) (increase(proxywatch_traffic_bytes_total{${ACCOUNT_SELECTOR}}[1d]))`,
        unit: 'decbytes',
        steps: NEUTRAL,
      },
      'Failed requests': {
        expr: errorRatio('traffic', ACCOUNT_SELECTOR, 'account'),
        unit: 'percentunit',
        steps: warnAbove(0.1, 0.2),
      },
      ...BALANCE_COLUMNS,
      'Exhausted quotas': { expr: usersInStates('exhausted', 'account'), unit: 'short', steps: redAbove(1) },
      'Low quotas': {
        expr: usersInStates('low|soon', 'account'),
        unit: 'short',
        steps: warnAbove(1, 10),
      },
      'Failing proxies': {
        expr: `sum by (account) (proxywatch_proxies_failing{${ACCOUNT_SELECTOR}})`,
        unit: 'short',
        steps: warnAbove(1, 10),
      },
      Faults: {
        expr: `sum by (account) (proxywatch_fault{${ACCOUNT_SELECTOR}})`,
        unit: 'short',
        steps: redAbove(1),
      },
      'Stale collectors': { expr: `sum by (account) ${IS_STALE}`, unit: 'short', steps: redAbove(1) },
    },
  }),
];
