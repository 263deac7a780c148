// Builds the Proxy tests dashboard: success and response times by target and tester, errors, faults and budget.

import { dashboard } from '../dashboard.ts';
import { ACCOUNT_SELECTOR, failingRatio } from '../expressions.ts';
import { graph } from '../graph.ts';
import { redAbove, warnAbove, warnBelow } from '../panel.ts';
import { stat } from '../stat.ts';
import { table } from '../table.ts';
import { account, choice, limit, pattern, window } from '../variables.ts';
import { TYPE_SELECTOR, uptime } from './expressions.ts';
import { matrixRow } from './matrix.ts';
import { budgetRow, errorRow, responseRow } from './results.ts';

const now = [
  stat({
    title: 'Failing of tested proxies',
    description: 'Proxies whose last rounds of tests each had a failure, whoever is to blame.',
    unit: 'short',
    width: 5,
    steps: warnAbove(1, 10),
    queries: {
      failing: `sum(proxywatch_proxies_failing{${TYPE_SELECTOR}})`,
    },
  }),
  stat({
    title: 'Tested proxies',
    description: 'Proxies with a result.',
    unit: 'short',
    width: 3,
    queries: { tested: `sum(proxywatch_proxies_tested{${TYPE_SELECTOR}})` },
  }),
  stat({
    title: 'Uptime',
    description: 'Successful of all test results over the time range.',
    unit: 'percentunit',
    decimals: 2,
    width: 4,
    steps: warnBelow(0.9, 0.98),
    noValue: 'no tests',
    queries: {
      uptime: uptime('', '$__range'),
    },
  }),
  stat({
    title: 'Faults',
    description: 'Proxies, targets, testers and providers to blame for failing tests.',
    unit: 'short',
    width: 4,
    steps: redAbove(1),
    queries: { faults: `sum(proxywatch_fault{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Runs left',
    description: 'Of the test runs that are allowed in a sliding day; of the account that has the fewest.',
    unit: 'short',
    width: 4,
    steps: warnBelow(1, 100),
    queries: { left: `min(proxywatch_proxy_test_budget_remaining{${ACCOUNT_SELECTOR}})` },
  }),
  stat({
    title: 'Longest without a test',
    description: 'In planned cycles, of the proxy that waits longest. Three are too many.',
    unit: 'short',
    decimals: 1,
    width: 4,
    steps: warnAbove(2, 3),
    queries: {
      cycles: `max((time() - min by (account) (proxywatch_proxy_test_last_timestamp_seconds{${ACCOUNT_SELECTOR}} or proxywatch_proxy_test_waiting_since_timestamp_seconds{${ACCOUNT_SELECTOR}})) / max by (account) (proxywatch_proxy_test_cycle_seconds{${ACCOUNT_SELECTOR}}))`,
    },
  }),
];

const faults = [
  graph({
    title: 'Failing proxies by product type',
    description: 'Failing of all tested proxies. The dashed line is where the alert begins.',
    unit: 'percentunit',
    width: 8,
    alert: 'ProxiesFailing',
    queries: { '{{account}} {{product_type}}': failingRatio(TYPE_SELECTOR) },
  }),
  graph({
    title: 'Faults by kind',
    description: 'Who is to blame for what fails: a proxy, a target, a tester, or the provider.',
    unit: 'short',
    width: 8,
    stacked: true,
    queries: { '{{kind}}': `sum by (kind) (proxywatch_fault{${ACCOUNT_SELECTOR}})` },
  }),
  table({
    title: 'To blame now',
    description: 'A hundred at most.',
    width: 8,
    noValue: 'nobody',
    labels: { account: 'Account', kind: 'Kind', proxy_id: 'Proxy', url: 'Target', tester_server: 'Tester' },
    columns: {
      Fault: {
        expr: `topk(100, sum by (account, kind, proxy_id, url, tester_server) (proxywatch_fault{${ACCOUNT_SELECTOR}} == 1))`,
        unit: 'short',
      },
    },
  }),
];

export const tests = dashboard({
  uid: 'proxywatch-tests',
  title: 'proxywatch / Proxy tests',
  description:
    'Success and response time of proxies by target and tester, errors, faults, and the budget of runs.',
  range: '24h',
  refresh: '1m',
  variables: [
    account(),
    choice('product_type', 'Product type', 'proxywatch_proxies_tested{account=~"$account"}'),
    choice('url', 'Target', 'proxywatch_proxy_test_response_time_seconds_count{account=~"$account"}'),
    choice(
      'tester_server',
      'Tester',
      'proxywatch_proxy_test_response_time_seconds_count{account=~"$account"}',
    ),
    pattern('proxy', 'Proxies (regular expression)'),
    limit(),
    window(),
  ],
  rows: [
    { title: 'Now', panels: now },
    { title: 'Faults', panels: faults },
    matrixRow,
    responseRow,
    errorRow,
    budgetRow,
  ],
});
