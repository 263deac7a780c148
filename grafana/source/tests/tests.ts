// Builds the Proxy tests dashboard: success and response times by target and tester, errors, faults and budget.

import { SAME_LABELS } from '../../../src/alerts/alert.ts';
import { dashboard } from '../dashboard.ts';
import { ACCOUNT_SELECTOR, failingRatio } from '../expressions.ts';
import { redAbove, warnAbove, warnBelow } from '../panel.ts';
import { stat } from '../stat.ts';
import { table } from '../table.ts';
import { graph } from '../time-series.ts';
import { account, choice, limit, pattern, window } from '../variables.ts';
import { TYPE_SELECTOR, uptime } from './expressions.ts';
import { matrixRow } from './matrix.ts';
import { probesRow } from './probes.ts';
import { budgetRow, errorRow, responseRow } from './results.ts';

const now = [
  stat({
    title: 'Failing proxies',
    description:
      'Number of proxies that failed in each of the last `fault_after` rounds of tests. The panel counts failures of any cause.',
    unit: 'short',
    width: 8,
    height: 3,
    steps: warnAbove(1, 10),
    queries: {
      failing: `sum(proxywatch_proxies_failing{${TYPE_SELECTOR}})`,
    },
  }),
  stat({
    title: 'Tested proxies',
    description: 'Number of proxies with a test result.',
    unit: 'short',
    width: 8,
    height: 3,
    queries: { tested: `sum(proxywatch_proxies_tested{${TYPE_SELECTOR}})` },
  }),
  stat({
    title: 'Uptime',
    description:
      'Share of the time range in which the newest tests succeeded, over all proxies, targets and testers.',
    unit: 'percentunit',
    decimals: 2,
    width: 8,
    height: 3,
    steps: warnBelow(0.9, 0.98),
    noValue: 'no tests',
    queries: {
      uptime: uptime('', '$__range'),
    },
  }),
  stat({
    title: 'Faults',
    description: 'Number of proxies, targets, testers and providers that cause tests to fail.',
    unit: 'short',
    width: 8,
    height: 3,
    steps: redAbove(1),
    queries: { faults: `sum(proxywatch_fault{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Remaining test runs',
    description:
      'Number of test runs that test calls can still use, for the account with the fewest test runs left.',
    unit: 'short',
    width: 8,
    height: 3,
    steps: warnBelow(1, 100),
    queries: { left: `min(proxywatch_proxy_test_budget_remaining{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Longest time without a test',
    description:
      'Longest time since the last test of a proxy, in planned cycles. A value above 3 means that proxywatch tests the proxy too rarely.',
    unit: 'short',
    decimals: 1,
    width: 8,
    height: 3,
    steps: warnAbove(2, 3),
    queries: {
      cycles: `max((time() - min by (account) (proxywatch_proxy_test_last_timestamp_seconds{${ACCOUNT_SELECTOR}} or ${SAME_LABELS} proxywatch_proxy_test_waiting_since_timestamp_seconds{${ACCOUNT_SELECTOR}})) / on (account) max by (account) (proxywatch_proxy_test_cycle_seconds{${ACCOUNT_SELECTOR}}))`,
    },
  }),
];

const faults = [
  graph({
    title: 'Failing proxies by product type',
    description:
      'Share of tested proxies that fail. The dashed line is the threshold of the alert ProxiesFailing.',
    unit: 'percentunit',
    width: 8,
    alert: 'ProxiesFailing',
    queries: { '{{account}} {{product_type}}': failingRatio(TYPE_SELECTOR) },
  }),
  graph({
    title: 'Faults by kind',
    description: 'Number of proxies, targets, testers and providers that cause tests to fail.',
    unit: 'short',
    width: 8,
    stacked: true,
    queries: { '{{kind}}': `sum by (kind) (proxywatch_fault{${ACCOUNT_SELECTOR}})` },
  }),
  table({
    title: 'Current faults',
    description:
      'Proxies, targets, testers and providers that cause tests to fail. The table shows at most 100 faults.',
    width: 8,
    noValue: 'no faults',
    labels: { account: 'Account', kind: 'Kind', proxy_id: 'Proxy', url: 'Target', tester_server: 'Tester' },
    statusPage: [],
    columns: {
      Fault: {
        expr: `topk(100, sum by (account, kind, proxy_id, url, tester_server) (proxywatch_fault{${ACCOUNT_SELECTOR}} == 1))`,
        unit: 'short',
      },
    },
  }),
];

/** The histogram as Prometheus stores it, classic or native. */
const RESPONSE_TIMES =
  '{__name__=~"proxywatch_proxy_test_response_time_seconds(_count)?", account=~"$account"}';

export const tests = dashboard({
  uid: 'proxywatch-tests',
  title: 'proxywatch / Proxy tests',
  description:
    'Success and response time of proxies by target and tester, errors, faults, and the run budget.',
  range: '24h',
  refresh: '1m',
  variables: [
    account(),
    choice('product_type', 'Product type', 'proxywatch_proxies_tested{account=~"$account"}'),
    choice('url', 'Target', RESPONSE_TIMES),
    choice('tester_server', 'Tester', RESPONSE_TIMES),
    pattern('proxy', 'Proxies (regular expression)'),
    limit(),
    window(),
  ],
  rows: [
    { title: 'Current state', panels: now },
    { title: 'Faults', panels: faults },
    matrixRow,
    responseRow,
    errorRow,
    budgetRow,
    probesRow,
  ],
});
