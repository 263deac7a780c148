// Builds the Proxy tests dashboard's rows about response times, errors, and the budget of runs.

import type { Row } from '../dashboard.ts';
import { ACCOUNT_SELECTOR } from '../expressions.ts';
import { warnBelow } from '../panel.ts';
import { table } from '../table.ts';
import { bars, graph } from '../time-series.ts';
import { quantile, RESULT_SELECTOR, uptime } from './expressions.ts';

const PLACE = 'url, tester_server';
const MEAN_TIME =
  `sum by (${PLACE}) (increase(proxywatch_proxy_test_response_time_seconds_sum{${RESULT_SELECTOR}}[$__range]))` +
  ` / on (${PLACE}) (sum by (${PLACE}) (increase(proxywatch_proxy_test_response_time_seconds_count{${RESULT_SELECTOR}}[$__range])) > 0)`;
const ERRORS = 'proxywatch_proxy_test_errors_total';

export const responseRow: Row = {
  title: 'Response times',
  panels: [
    graph({
      title: 'Response times',
      description:
        'Median, 95th percentile and 99th percentile of the response times of successful results, over the period that the variable Window sets.',
      unit: 's',
      width: 6,
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
        '95th percentile of the response times of successful results, over the period that the variable Window sets.',
      unit: 's',
      width: 9,
      queries: { '{{url}}': quantile(0.95, 'url') },
    }),
    graph({
      title: 'Response times by tester, 95th percentile',
      description:
        '95th percentile of the response times of successful results, over the period that the variable Window sets.',
      unit: 's',
      width: 9,
      queries: { '{{tester_server}}': quantile(0.95, 'tester_server') },
    }),
    table({
      title: 'Targets and testers',
      description:
        'Share of the time range in which the newest tests succeeded, over all proxies, and the mean response time of successful results.',
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
        'Number of failed results by the provider’s error source: before the proxy, at the proxy, or at the target.',
      unit: 'short',
      width: 8,
      queries: {
        '{{error_source}}': `sum by (error_source) (increase(${ERRORS}{${RESULT_SELECTOR}}[$__interval]))`,
      },
    }),
    table({
      title: 'Errors in the time range by source and code',
      description:
        'Most frequent errors. If an account has too many different codes, the panel shows further codes as "other".',
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
      description: 'Number of failed results in the time range, by the provider’s error source.',
      width: 8,
      labels: { account: 'Account', proxy_id: 'Proxy', error_source: 'Source' },
      statusPage: ['proxy_id'],
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
        'Number of test runs of the run budget (`max_runs_per_day`) that test calls can still use, and the expected price of a call in test runs.',
      unit: 'short',
      width: 8,
      queries: {
        '{{account}}': `min by (account) (proxywatch_proxy_test_budget_remaining{${ACCOUNT_SELECTOR}})`,
        '{{account}} cost of a call': `max by (account) (proxywatch_proxy_test_runs_per_call{${ACCOUNT_SELECTOR}})`,
      },
    }),
    bars({
      title: 'Test calls per hour',
      description: 'Number of test calls by result.',
      unit: 'short',
      width: 8,
      queries: {
        '{{account}} {{result}}': `sum by (account, result) (increase(proxywatch_proxy_test_runs_total{${ACCOUNT_SELECTOR}}[$__interval]))`,
      },
    }),
    graph({
      title: 'Cycle',
      description:
        'Planned time to test every proxy once. If the run budget is too small for the schedule, the time is longer than the interval of the schedule.',
      unit: 's',
      width: 8,
      queries: {
        '{{account}}': `max by (account) (proxywatch_proxy_test_cycle_seconds{${ACCOUNT_SELECTOR}})`,
      },
    }),
  ],
};
