// Builds the Proxy dashboard's numbers: fault, newest results, uptime, response time and age of the tests.

import { redAbove, warnAbove, warnBelow } from '../panel.ts';
import { stat } from '../stat.ts';
import { PROXY, uptime } from './tests.ts';

const NOT_TESTED = 'not tested';
const SIZE = { width: 4, height: 5 };

export const now = [
  stat({
    ...SIZE,
    title: 'At fault',
    description:
      'Whether the proxy itself causes its tests to fail. A proxy is not at fault if a target, a tester or the provider causes the failures.',
    unit: 'bool_yes_no',
    steps: redAbove(1),
    noValue: NOT_TESTED,
    // Before the first test, the series has the value 0, which says nothing.
    queries: {
      fault: `max(proxywatch_fault{${PROXY}, kind="proxy"}) and on () count(proxywatch_proxy_test_success{${PROXY}})`,
    },
  }),
  stat({
    ...SIZE,
    title: 'Works now',
    description: 'Share of pairs of target and tester whose newest test succeeded.',
    unit: 'percentunit',
    steps: warnBelow(0.5, 1),
    noValue: NOT_TESTED,
    queries: { works: `avg(proxywatch_proxy_test_success{${PROXY}})` },
  }),
  stat({
    ...SIZE,
    title: 'Uptime',
    description:
      'Share of the time in which the newest tests succeeded, over all targets and testers. Failures count whatever their cause is.',
    unit: 'percentunit',
    decimals: 1,
    steps: warnBelow(0.9, 0.98),
    noValue: NOT_TESTED,
    queries: { '24 hours': uptime('', '1d'), '7 days': uptime('', '7d'), '30 days': uptime('', '30d') },
  }),
  stat({
    ...SIZE,
    title: 'Response time',
    description: 'Mean of the newest response times over all targets and testers.',
    unit: 's',
    noValue: 'unknown',
    queries: { mean: `avg(proxywatch_proxy_test_last_response_time_seconds{${PROXY}})` },
  }),
  stat({
    ...SIZE,
    title: 'Failures',
    description: 'Number of failed test results in the time range of the dashboard.',
    unit: 'short',
    decimals: 0,
    steps: warnAbove(1, 10),
    noValue: NOT_TESTED,
    // A proxy without failures has no series of failures.
    queries: {
      failures: `sum(increase(proxywatch_proxy_test_failures_total{${PROXY}}[$__range])) or on () sum(increase(proxywatch_proxy_test_results_total{${PROXY}}[$__range])) * 0`,
    },
  }),
  stat({
    ...SIZE,
    title: 'Last test',
    description: 'Time since the newest test result of the proxy.',
    unit: 's',
    noValue: NOT_TESTED,
    queries: { age: `time() - max(proxywatch_proxy_test_last_timestamp_seconds{${PROXY}})` },
  }),
];
