// Defines the metric families of the proxy tests.

import { resultFamilies } from '../expose-results.ts';
import { counters, gauges } from '../families.ts';
import { proxyInfo } from '../proxy-info.ts';

const SOURCE = 'from proxy_test_run/create.';

export const families = {
  success: resultFamilies.success,
  lastResponseTime: resultFamilies.lastResponseTime,
  results: resultFamilies.results,
  successes: resultFamilies.successes,
  ...counters(['proxy_id', 'error_source'], {
    proxywatch_proxy_test_failures_total: `Number of failed test results of the proxy since the first test, by the provider's error source, ${SOURCE}`,
  }),
  errors: resultFamilies.errors,
  responseTime: resultFamilies.responseTime,
  ...gauges(['proxy_id'], {
    proxywatch_proxy_test_last_timestamp_seconds: `Time of the proxy's newest test result, in seconds since the epoch, ${SOURCE}`,
  }),
  ...gauges(['product_type'], {
    proxywatch_proxies_tested: `Number of proxies with a test result, ${SOURCE}`,
    proxywatch_proxies_failing: `Number of proxies that had a failure in each of the last fault_after rounds, regardless of the cause, ${SOURCE} The series is missing before the first test.`,
    proxywatch_proxies_at_fault: `Number of tested proxies that are themselves at fault, ${SOURCE} The series is missing before the first test. The metric proxywatch_fault shows each fault.`,
  }),
  ...counters(['result'], {
    proxywatch_proxy_test_runs_total:
      'Number of test calls that proxywatch sent since the first test, by result: ok or failed.',
  }),
  ...gauges([], {
    proxywatch_proxy_test_budget_remaining:
      'Number of test runs of the run budget (max_runs_per_day) that test calls can still use, as of the last round. The value is 0 if one call costs more than the whole run budget.',
    proxywatch_proxy_test_budget_exhausted:
      'Whether the run budget (max_runs_per_day) has blocked all test calls for longer than planned (1) or not (0), as of the last round. The value is also 1 if one call costs more than the whole run budget.',
    proxywatch_proxy_test_runs_per_call:
      'Expected price of one test call, in test runs. The value is the highest price on the last 3 days with calls to the same targets from the same testers.',
  }),
  ...gauges(['proxy_id'], {
    proxywatch_proxy_test_waiting_since_timestamp_seconds:
      'Time since which the proxy has waited for its first result from the current targets and testers, in seconds since the epoch. The series is missing after the first result.',
  }),
  ...gauges([], {
    proxywatch_proxy_test_steady_since_timestamp_seconds:
      'Time since which proxywatch has made test calls without a longer break than planned, in seconds since the epoch. The time is at most 8 days back.',
    proxywatch_proxy_test_cycle_seconds:
      'Planned time in seconds to test every proxy once within the run budget.',
  }),
  fault: resultFamilies.fault,
  ...gauges(['url'], {
    proxywatch_proxy_tests_inconclusive: `Number of proxies that fail at the target without a known cause, ${SOURCE} Comparisons and error sources do not show what is at fault.`,
  }),
  info: proxyInfo,
} as const;
