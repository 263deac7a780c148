// Builds the Overview dashboard's first row: numbers of all accounts together, and a table of accounts.

import { firingCount } from '../alerts.ts';
import { BALANCE_COLUMNS } from '../balance-columns.ts';
import { ACCOUNT_SELECTOR, errorRatio, IS_STALE, usersInStates } from '../expressions.ts';
import { NEUTRAL, redAbove, warnAbove } from '../panel.ts';
import { stat } from '../stat.ts';
import { table } from '../table.ts';

export const now = [
  stat({
    title: 'Alerts firing',
    description: 'Alerts of proxywatch that fire now, whether Prometheus evaluates them, the daemon or both.',
    unit: 'short',
    width: 3,
    steps: redAbove(1),
    queries: { firing: firingCount },
  }),
  stat({
    title: 'Stale collectors',
    description:
      'Collectors without a success for three intervals, or ever. What they collect is shown as it last was.',
    unit: 'short',
    width: 3,
    steps: redAbove(1),
    queries: { stale: `sum${IS_STALE}` },
  }),
  stat({
    title: 'Faults',
    description: 'Proxies, targets, testers and providers to blame for failing tests.',
    unit: 'short',
    width: 3,
    steps: redAbove(1),
    queries: { faults: `sum(proxywatch_fault{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Proxies failing',
    description: 'Proxies whose last rounds of tests each had a failure, whoever is to blame.',
    unit: 'short',
    width: 3,
    steps: warnAbove(1, 10),
    queries: { failing: `sum(proxywatch_proxies_failing{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Quotas used up',
    description: 'Quotas of proxy users with nothing left. A user may have one for each product type.',
    unit: 'short',
    width: 3,
    steps: redAbove(1),
    queries: { exhausted: usersInStates('exhausted') },
  }),
  stat({
    title: 'Quotas running out',
    description: 'Quotas of proxy users with less than 10 % left, or used up within three days as forecast.',
    unit: 'short',
    width: 3,
    steps: warnAbove(1, 10),
    queries: { 'low or soon': usersInStates('low|soon') },
  }),
  stat({
    title: 'Failed requests',
    description: 'Failed of all requests in the newest buckets of a quarter of an hour.',
    unit: 'percentunit',
    width: 3,
    steps: warnAbove(0.1, 0.2),
    noValue: 'no requests',
    queries: { failed: errorRatio('traffic', ACCOUNT_SELECTOR, '') },
  }),
  stat({
    title: 'Traffic now',
    description: 'Bytes in the newest complete bucket: a minute, or an hour for accounts that are read so.',
    unit: 'decbytes',
    width: 3,
    queries: { bytes: `sum(proxywatch_traffic_last_bucket_bytes{${ACCOUNT_SELECTOR}})` },
  }),
  table({
    title: 'Accounts',
    description: 'A row for each account; its name leads to its traffic.',
    width: 24,
    labels: { account: 'Account' },
    linkedDashboard: 'proxywatch-traffic',
    columns: {
      'Traffic of a day': {
        expr: `sum by (account) (increase(proxywatch_traffic_bytes_total{${ACCOUNT_SELECTOR}}[1d]))`,
        unit: 'decbytes',
        steps: NEUTRAL,
      },
      Failed: {
        expr: errorRatio('traffic', ACCOUNT_SELECTOR, 'account'),
        unit: 'percentunit',
        steps: warnAbove(0.1, 0.2),
      },
      ...BALANCE_COLUMNS,
      'Quotas used up': { expr: usersInStates('exhausted', 'account'), unit: 'short', steps: redAbove(1) },
      'Quotas running out': {
        expr: usersInStates('low|soon', 'account'),
        unit: 'short',
        steps: warnAbove(1, 10),
      },
      'Proxies failing': {
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
