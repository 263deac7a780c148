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
      title: 'Response time',
      description: 'Of successful results: half, 95 and 99 of a hundred were faster, over the window above.',
      unit: 's',
      width: 8,
      queries: Object.fromEntries([50, 95, 99].map((part) => [`p${part}`, quantile(part / 100, '')])),
    }),
    graph({
      title: 'Response time by target (p95)',
      description: '95 of a hundred successful results were faster, over the window above.',
      unit: 's',
      width: 8,
      queries: { '{{url}}': quantile(0.95, 'url') },
    }),
    graph({
      title: 'Response time by tester (p95)',
      description: '95 of a hundred successful results were faster, over the window above.',
      unit: 's',
      width: 8,
      queries: { '{{tester_server}}': quantile(0.95, 'tester_server') },
    }),
    table({
      title: 'Targets and testers',
      description:
        'Over the time range: successful of all results, and the mean time of the successful ones.',
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
      title: 'Errors an hour by source',
      description: 'Failed results by where they failed: before the proxy, at it, or at the target.',
      unit: 'short',
      width: 8,
      queries: {
        '{{error_source}}': `sum by (error_source) (increase(${ERRORS}{${RESULT_SELECTOR}}[$__interval]))`,
      },
    }),
    table({
      title: 'Errors over the range by source and code',
      description: 'The most frequent ones. Codes beyond a bound are "other".',
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
      description: 'Failed results over the time range, by the source that the provider names.',
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
      title: 'Runs left',
      description:
        'Of max_runs_per_day, in a sliding day, as of the last round; and what a call is expected to cost.',
      unit: 'short',
      width: 8,
      queries: {
        '{{account}}': `min by (account) (proxywatch_proxy_test_budget_remaining{${ACCOUNT_SELECTOR}})`,
        '{{account}} a call': `max by (account) (proxywatch_proxy_test_runs_per_call{${ACCOUNT_SELECTOR}})`,
      },
    }),
    bars({
      title: 'Runs an hour',
      description: "Calls of the provider's test, by what became of them.",
      unit: 'short',
      width: 8,
      queries: {
        '{{account}} {{result}}': `sum by (account, result) (increase(proxywatch_proxy_test_runs_total{${ACCOUNT_SELECTOR}}[$__interval]))`,
      },
    }),
    graph({
      title: 'Cycle',
      description:
        'Planned time to test every proxy once. It grows when the budget is too small for the schedule.',
      unit: 's',
      width: 8,
      queries: {
        '{{account}}': `max by (account) (proxywatch_proxy_test_cycle_seconds{${ACCOUNT_SELECTOR}})`,
      },
    }),
  ],
};
