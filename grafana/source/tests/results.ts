// Builds the Proxy tests dashboard's rows about response times, errors, and the budget of runs.

import type { Row } from '../dashboard.ts';
import { ACCOUNT_SELECTOR } from '../expressions.ts';
import { bars, graph } from '../graph.ts';
import { warnBelow } from '../panel.ts';
import { table } from '../table.ts';
import { quantile, RESULT_SELECTOR, uptime } from './expressions.ts';

const PLACE = 'url, tester_server';
const MEAN_TIME =
  `sum by (${PLACE}) (increase(proxywatch_proxy_test_response_time_seconds_sum{${RESULT_SELECTOR}}[$__range]))` +
  ` / (sum by (${PLACE}) (increase(proxywatch_proxy_test_response_time_seconds_count{${RESULT_SELECTOR}}[$__range])) > 0)`;
const ERRORS = 'proxywatch_proxy_test_errors_total';

export const responseRow: Row = {
  title: 'Response times',
  panels: [
    graph({
      title: 'Response times',
      description:
        'Shows the median, the 95th percentile and the 99th percentile of successful results, over the window that you select above.',
      unit: 's',
      width: 8,
      queries: Object.fromEntries(
        [
          ['median', 0.5],
          ['95th percentile', 0.95],
          ['99th percentile', 0.99],
        ].map(([legend, level]) => [legend, quantile(Number(level), '')]),
      ),
    }),
    graph({
      title: 'Response times by target, 95th percentile',
      description:
        '95% of the successful results were faster than this, over the window that you select above.',
      unit: 's',
      width: 8,
      queries: { '{{url}}': quantile(0.95, 'url') },
    }),
    graph({
      title: 'Response times by tester, 95th percentile',
      description:
        '95% of the successful results were faster than this, over the window that you select above.',
      unit: 's',
      width: 8,
      queries: { '{{tester_server}}': quantile(0.95, 'tester_server') },
    }),
    table({
      title: 'Targets and testers',
      description:
        'Shows the share of successful results in the time range, and the mean response time of successful results.',
      width: 24,
      labels: { url: 'Target', tester_server: 'Tester' },
      columns: {
        Uptime: {
          expr: uptime(PLACE, '$__range'),
          unit: 'percentunit',
          decimals: 2,
          steps: warnBelow(0.9, 0.98),
        },
        'Mean time': { expr: MEAN_TIME, unit: 's' },
      },
      sortBy: ['Uptime', false],
    }),
  ],
};

export const errorRow: Row = {
  title: 'Errors',
  panels: [
    bars({
      title: 'Errors per hour by source',
      description:
        'Shows the number of failed results by the place of the error: before the proxy, at the proxy, or at the target.',
      unit: 'short',
      width: 8,
      queries: {
        '{{error_source}}': `sum by (error_source) (increase(${ERRORS}{${RESULT_SELECTOR}}[$__interval]))`,
      },
    }),
    table({
      title: 'Errors in the time range by source and code',
      description: 'Shows the most frequent errors. Beyond a number of codes, the rest count as "other".',
      width: 8,
      labels: { error_source: 'Source', error_code: 'Code' },
      columns: {
        Results: {
          expr: `topk($limit, sum by (error_source, error_code) (increase(${ERRORS}{${RESULT_SELECTOR}}[$__range])))`,
          unit: 'short',
          decimals: 0,
        },
      },
      sortBy: ['Results', true],
    }),
    table({
      title: 'Proxies with the most errors',
      description:
        'Shows the number of failed results in the time range, by the source of the error that the provider names.',
      width: 8,
      labels: { account: 'Account', proxy_id: 'Proxy', error_source: 'Source' },
      columns: {
        Results: {
          expr: `topk($limit, sum by (account, proxy_id, error_source) (increase(proxywatch_proxy_test_failures_total{${ACCOUNT_SELECTOR}, proxy_id=~"$proxy"}[$__range])))`,
          unit: 'short',
          decimals: 0,
        },
      },
      sortBy: ['Results', true],
    }),
  ],
};

export const budgetRow: Row = {
  title: 'Budget and cycle',
  collapsed: true,
  panels: [
    graph({
      title: 'Remaining test runs',
      description:
        'Shows the rest of max_runs_per_day within 24 hours at the last round, and the expected cost of a call.',
      unit: 'short',
      width: 8,
      queries: {
        '{{account}}': `min by (account) (proxywatch_proxy_test_budget_remaining{${ACCOUNT_SELECTOR}})`,
        '{{account}} cost of a call': `max by (account) (proxywatch_proxy_test_runs_per_call{${ACCOUNT_SELECTOR}})`,
      },
    }),
    bars({
      title: 'Test calls per hour',
      description: 'Shows the number of calls of the provider’s proxy test, by result.',
      unit: 'short',
      width: 8,
      queries: {
        '{{account}} {{result}}': `sum by (account, result) (increase(proxywatch_proxy_test_runs_total{${ACCOUNT_SELECTOR}}[$__interval]))`,
      },
    }),
    graph({
      title: 'Cycle',
      description:
        'Shows the planned time to test every proxy once. It grows if the budget is too small for the schedule.',
      unit: 's',
      width: 8,
      queries: {
        '{{account}}': `max by (account) (proxywatch_proxy_test_cycle_seconds{${ACCOUNT_SELECTOR}})`,
      },
    }),
  ],
};
