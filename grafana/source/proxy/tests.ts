// Builds the Proxy dashboard's row about tests: results by target and tester, response times and errors.

import type { Row } from '../dashboard.ts';
import { redBelow, warnBelow } from '../panel.ts';
import { table } from '../table.ts';
import { uptimeOf } from '../tests/expressions.ts';
import { bars, graph, states } from '../time-series.ts';

/** Without a chosen proxy, nothing matches: an empty id would match the series of targets and testers. */
export const PROXY = 'account=~"$account", proxy_id="$proxy_id", proxy_id!=""';
const PLACE = 'account, url, tester_server';
const NOT_TESTED = 'This proxy has no test results.';

/** Says in words that one series stands for all targets and testers, as with the setting `series: proxy`. */
const named = (expression: string): string =>
  `label_replace(label_replace(${expression}, "url", "all targets", "url", ""), "tester_server", "all testers", "tester_server", "")`;

const newest = (name: string): string => named(`max by (${PLACE}) (proxywatch_proxy_test_${name}{${PROXY}})`);

const increase = (name: string, by: string, range: string): string =>
  `sum by (${by}) (increase(proxywatch_proxy_test_${name}_total{${PROXY}}[${range}]))`;

export const uptime = (by: string, range: string): string => uptimeOf(PROXY, by, range);

export const testRow: Row = {
  title: 'Tests',
  panels: [
    table({
      title: 'Results by target and tester',
      description:
        'Newest result of each pair of target and tester, the share of the time range in which it was a success, and the results in the time range. If you set `series: proxy`, or if the matrix has too many series, one line stands for all targets and testers: the proxy works only if all its newest tests succeeded, and the response time is the longest.',
      width: 24,
      height: 9,
      noValue: NOT_TESTED,
      labels: { account: 'Account', url: 'Target', tester_server: 'Tester' },
      statusPage: ['url', 'tester_server'],
      columns: {
        Works: { expr: newest('success'), unit: 'bool_yes_no', steps: redBelow(0.5) },
        'Response time': { expr: newest('last_response_time_seconds'), unit: 's' },
        Uptime: {
          expr: named(uptime(PLACE, '$__range')),
          unit: 'percentunit',
          decimals: 1,
          steps: warnBelow(0.9, 0.98),
        },
        Results: { expr: named(increase('results', PLACE, '$__range')), unit: 'short', decimals: 0 },
      },
      sortBy: ['Uptime', false],
    }),
    states({
      title: 'Results over time',
      description: 'Whether the newest test of each pair of target and tester succeeded, at each time.',
      unit: 'bool_yes_no',
      width: 24,
      height: 9,
      steps: redBelow(0.5),
      noValue: NOT_TESTED,
      queries: { '{{url}} {{tester_server}}': newest('success') },
    }),
    graph({
      title: 'Response times',
      description: 'Response time of the newest test of each pair of target and tester, at each time.',
      unit: 's',
      width: 24,
      height: 10,
      noValue: NOT_TESTED,
      queries: { '{{url}} {{tester_server}}': newest('last_response_time_seconds') },
    }),
    graph({
      title: 'Uptime over 6 hours',
      description:
        'Share of the last 6 hours in which the newest tests succeeded, over all targets and testers, at each time.',
      unit: 'percentunit',
      max: 1,
      width: 12,
      noValue: NOT_TESTED,
      queries: { '{{account}}': uptime('account', '6h') },
    }),
    bars({
      title: 'Failures per hour by source',
      description:
        'Number of failed results by the provider’s error source: before the proxy, at the proxy, or at the target.',
      unit: 'short',
      width: 12,
      noValue: 'no failed results',
      queries: { '{{error_source}}': increase('failures', 'error_source', '$__interval') },
    }),
  ],
};
