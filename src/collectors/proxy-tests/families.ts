// Defines the metric families of the proxy tests.

import { counter, gauge, histogram } from '../../lib/family.ts';
import { proxyInfo } from '../proxy-info.ts';

const SOURCE = 'from proxy_test_run/create, tested on a schedule.';
const CELL = ['proxy_id', 'url', 'tester_server', 'protocol'] as const;
const TARGET = ['url', 'tester_server'] as const;

export const families = {
  success: gauge('proxywatch_proxy_test_success', `1 if the last test succeeded, else 0, ${SOURCE}`, CELL),
  lastResponseTime: gauge(
    'proxywatch_proxy_test_last_response_time_seconds',
    `Response time of the last test in seconds, ${SOURCE}`,
    CELL,
  ),
  results: counter('proxywatch_proxy_test_results_total', `Test results, ${SOURCE}`, CELL),
  successes: counter('proxywatch_proxy_test_successes_total', `Successful test results, ${SOURCE}`, CELL),
  failures: counter(
    'proxywatch_proxy_test_failures_total',
    `Failed test results by error source, ${SOURCE}`,
    ['proxy_id', 'error_source'],
  ),
  errors: counter(
    'proxywatch_proxy_test_errors_total',
    `Failed test results by error code (other beyond a bound), ${SOURCE}`,
    [...TARGET, 'error_source', 'error_code'],
  ),
  responseTime: histogram(
    'proxywatch_proxy_test_response_time_seconds',
    `Response times of successful tests in seconds, ${SOURCE}`,
    TARGET,
  ),
  lastTimestamp: gauge(
    'proxywatch_proxy_test_last_timestamp_seconds',
    `When the proxy was last tested, in seconds since the epoch, ${SOURCE}`,
    ['proxy_id'],
  ),
  tested: gauge('proxywatch_proxies_tested', `Proxies with a test result, ${SOURCE}`, ['product_type']),
  failing: gauge(
    'proxywatch_proxies_failing',
    `Proxies whose last rounds (fault_after of them) each had a failure, regardless of whose fault it is, ${SOURCE} Absent before the first test.`,
    ['product_type'],
  ),
  atFault: gauge(
    'proxywatch_proxies_at_fault',
    `Proxies with a test result that are to blame for their failures themselves (proxywatch_fault), ${SOURCE} Absent before the first test.`,
    ['product_type'],
  ),
  runs: counter(
    'proxywatch_proxy_test_runs_total',
    'Calls of proxy_test_run/create by what became of them.',
    ['result'],
  ),
  budgetRemaining: gauge(
    'proxywatch_proxy_test_budget_remaining',
    'Test runs that calls may still use of max_runs_per_day over the last 24 hours, counted by proxywatch after each round; 0 while one call costs more than all of them.',
    [],
  ),
  budgetExhausted: gauge(
    'proxywatch_proxy_test_budget_exhausted',
    '1 while max_runs_per_day leaves no call for longer than its spreading explains, else 0, judged by proxywatch after each round.',
    [],
  ),
  runsPerCall: gauge(
    'proxywatch_proxy_test_runs_per_call',
    'Test runs that one call is expected to cost: the highest cost of a call on the last 3 days with calls.',
    [],
  ),
  waitingSince: gauge(
    'proxywatch_proxy_test_waiting_since_timestamp_seconds',
    'Since when the proxy has waited for its first result from the present urls and testers, in seconds since the epoch; absent once it has one.',
    ['proxy_id'],
  ),
  steadySince: gauge(
    'proxywatch_proxy_test_steady_since_timestamp_seconds',
    'Since when tests have been made without a break longer than planned, in seconds since the epoch, 8 days back at most.',
    [],
  ),
  cycle: gauge(
    'proxywatch_proxy_test_cycle_seconds',
    'Planned time in seconds to test every proxy once within the budget.',
    [],
  ),
  fault: gauge(
    'proxywatch_fault',
    `1 while the subject is to blame for failing tests, 0 while it is not, judged over the last rounds, ${SOURCE}`,
    ['kind', 'proxy_id', 'url', 'tester_server'],
  ),
  inconclusive: gauge(
    'proxywatch_proxy_tests_inconclusive',
    `Proxies that fail at the url for a cause that neither a comparison nor the error source shows, judged over the last rounds, ${SOURCE}`,
    ['url'],
  ),
  info: proxyInfo,
} as const;
