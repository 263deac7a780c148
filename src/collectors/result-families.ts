// Defines the metric families of results that two collectors expose: tests by the provider's testers, and probes. The
// label `tester_server` distinguishes them.

import { counter, gauge, histogram } from '../lib/family.ts';

const SOURCE = 'from proxy_test_run/create and from probes.';
const CELL = ['proxy_id', 'url', 'tester_server', 'protocol'] as const;
const TARGET = ['url', 'tester_server'] as const;

export const resultFamilies = {
  success: gauge(
    'proxywatch_proxy_test_success',
    `Whether the newest test succeeded (1) or not (0), ${SOURCE}`,
    CELL,
  ),
  lastResponseTime: gauge(
    'proxywatch_proxy_test_last_response_time_seconds',
    `Response time of the newest test in seconds, ${SOURCE} The series is missing if the test has no response time.`,
    CELL,
  ),
  results: counter(
    'proxywatch_proxy_test_results_total',
    `Number of test results since the first test, ${SOURCE}`,
    CELL,
  ),
  successes: {
    ...counter(
      'proxywatch_proxy_test_successes_total',
      `Number of successful test results since the first test, ${SOURCE} The series exist only with the setting metrics.derived_counters.`,
      CELL,
    ),
    isDerived: true,
  },
  errors: counter(
    'proxywatch_proxy_test_errors_total',
    `Number of failed test results since the first test, by error source and error code, ${SOURCE} Sources and codes above a limit have the label value other.`,
    [...TARGET, 'error_source', 'error_code'],
  ),
  responseTime: histogram(
    'proxywatch_proxy_test_response_time_seconds',
    `Response times of successful test results in seconds, ${SOURCE}`,
    TARGET,
  ),
  fault: gauge(
    'proxywatch_fault',
    `Whether the proxy, target, tester or provider causes tests to fail (1) or not (0), ${SOURCE} The kind access means that a proxy does not accept the settings of the customer, or fails from this machine only. proxywatch decides after each round. Series of proxies without a recent failure can be missing.`,
    ['kind', 'proxy_id', 'url', 'tester_server'],
  ),
} as const;
