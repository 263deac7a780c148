// Builds the Overview dashboard's first row: numbers of all accounts together, and a table of accounts.

import { firingCount } from '../alerts.ts';
import { balanceColumns } from '../balance-columns.ts';
import { ACCOUNT_SELECTOR, errorRatio, IS_STALE, usersInStates } from '../expressions.ts';
import { NEUTRAL, redAbove, warnAbove } from '../panel.ts';
import { stat } from '../stat.ts';
import { table } from '../table.ts';

export const now = [
  stat({
    title: 'Firing alerts',
    description: 'Number of alerts that fire now, evaluated by Prometheus or by the daemon.',
    unit: 'short',
    width: 6,
    height: 3,
    steps: redAbove(1),
    queries: { firing: firingCount },
  }),
  stat({
    title: 'Stale collectors',
    description:
      'Number of collectors that have had no success for three intervals of their schedule, or that never had a success. The metrics of a stale collector keep their last values.',
    unit: 'short',
    width: 6,
    height: 3,
    steps: redAbove(1),
    queries: { stale: `sum${IS_STALE}` },
  }),
  stat({
    title: 'Faults',
    description: 'Number of proxies, targets, testers and providers that cause tests to fail.',
    unit: 'short',
    width: 6,
    height: 3,
    steps: redAbove(1),
    queries: { faults: `sum(proxywatch_fault{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Failing proxies',
    description:
      'Number of proxies that failed in each of the last `fault_after` rounds of tests. The panel counts failures of any cause.',
    unit: 'short',
    width: 6,
    height: 3,
    steps: warnAbove(1, 10),
    queries: { failing: `sum(proxywatch_proxies_failing{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Exhausted quotas',
    description: 'Number of exhausted quotas. A proxy user can have one quota for each product type.',
    unit: 'short',
    width: 6,
    height: 3,
    steps: redAbove(1),
    queries: { exhausted: usersInStates('exhausted') },
  }),
  stat({
    title: 'Low quotas',
    description:
      'Number of quotas with less than 10% of their bytes left, or with a forecast of exhaustion within three days.',
    unit: 'short',
    width: 6,
    height: 3,
    steps: warnAbove(1, 10),
    queries: { 'low or soon': usersInStates('low|soon') },
  }),
  stat({
    title: 'Failed requests',
    description: 'Share of failed requests in the newest 15 minutes with traffic.',
    unit: 'percentunit',
    width: 6,
    height: 3,
    steps: warnAbove(0.1, 0.2),
    noValue: 'no requests',
    queries: { failed: errorRatio('traffic', ACCOUNT_SELECTOR, '') },
  }),
  stat({
    title: 'Current traffic',
    description:
      'Bytes of the newest complete bucket. A bucket is a minute long, or an hour long if the account has hourly buckets.',
    unit: 'decbytes',
    width: 6,
    height: 3,
    queries: { bytes: `sum(proxywatch_traffic_last_bucket_bytes{${ACCOUNT_SELECTOR}})` },
  }),
  table({
    title: 'Accounts',
    description:
      'Traffic, balance, quotas, proxies and age of the data of each account. The name of an account links to the Traffic dashboard of the account.',
    width: 24,
    labels: { account: 'Account' },
    statusPage: [],
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
      ...balanceColumns('residential'),
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
