// Builds the Daemon dashboard's row about collectors: results, durations, age of data, skipped items.

import type { Row } from '../dashboard.ts';
import { ACCOUNT_SELECTOR, STALENESS, toMillis } from '../expressions.ts';
import { redAbove, redBelow, warnAbove } from '../panel.ts';
import { table } from '../table.ts';
import { bars, graph } from '../time-series.ts';

const COLLECTOR = 'account, collector';
const LEGEND = '{{account}} {{collector}}';
const collectorMetric = (name: string): string =>
  `max by (${COLLECTOR}) (proxywatch_collector_${name}{${ACCOUNT_SELECTOR}})`;
/** Limits the series to the largest, because fifty accounts have five hundred of them. */
const largest = (expression: string): string => `topk(20, ${expression})`;

export const collectorRow: Row = {
  title: 'Collectors',
  panels: [
    table({
      title: 'Last runs',
      description: 'Last run of each collector: result, time and duration, and the interval of the schedule.',
      width: 14,
      height: 10,
      labels: { account: 'Account', collector: 'Collector' },
      columns: {
        Success: { expr: collectorMetric('success'), unit: 'bool_yes_no', steps: redBelow(1) },
        'Age in intervals': {
          expr: `max by (${COLLECTOR}) (${STALENESS})`,
          unit: 'short',
          decimals: 1,
          steps: warnAbove(2, 3),
        },
        'Failures in a row': {
          expr: collectorMetric('consecutive_failures'),
          unit: 'short',
          steps: warnAbove(1, 2),
        },
        'Last success': {
          expr: toMillis(collectorMetric('last_success_timestamp_seconds')),
          unit: 'dateTimeFromNow',
        },
        'Last attempt': {
          expr: toMillis(collectorMetric('last_attempt_timestamp_seconds')),
          unit: 'dateTimeFromNow',
        },
        Duration: { expr: collectorMetric('duration_seconds'), unit: 's' },
        Interval: { expr: collectorMetric('interval_seconds'), unit: 's' },
      },
      sortBy: ['Age in intervals', true],
    }),
    table({
      title: 'Current errors',
      description: 'Kind of the first error of the last run, or of the last error of a failing part.',
      width: 10,
      height: 10,
      noValue: 'no errors',
      labels: { account: 'Account', collector: 'Collector', kind: 'Kind' },
      columns: {
        Error: {
          expr: `max by (${COLLECTOR}, kind) (proxywatch_collector_error{${ACCOUNT_SELECTOR}} == 1)`,
          unit: 'bool_yes_no',
          steps: redAbove(1),
        },
      },
    }),
    bars({
      title: 'Runs per hour by result',
      description:
        'Number of runs by result. A run is partial if a part of the run failed. proxywatch skips a run if the previous run has not ended.',
      unit: 'short',
      width: 8,
      queries: {
        '{{result}}': `sum by (result) (increase(proxywatch_collector_runs_total{${ACCOUNT_SELECTOR}}[$__interval]))`,
      },
    }),
    graph({
      title: 'Age of the data',
      description:
        'Time since the last success, in intervals of the schedule. The graph shows the 20 collectors with the oldest data.',
      unit: 'short',
      decimals: 1,
      width: 8,
      alert: 'DataStale',
      queries: { [LEGEND]: largest(`max by (${COLLECTOR}) (${STALENESS})`) },
    }),
    graph({
      title: 'Run durations',
      description: 'Duration of the last run of each collector. The graph shows the 20 longest runs.',
      unit: 's',
      width: 8,
      queries: { [LEGEND]: largest(collectorMetric('duration_seconds')) },
    }),
    bars({
      title: 'Skipped items per hour',
      description: 'Number of items in answers that proxywatch could not decode and left out.',
      unit: 'short',
      width: 12,
      queries: {
        [LEGEND]: `sum by (${COLLECTOR}) (increase(proxywatch_items_skipped_total{${ACCOUNT_SELECTOR}}[$__interval]))`,
      },
    }),
    graph({
      title: 'Subjects without series',
      description:
        'Number of users, cells of the test matrix, proxies and products without series, because a setting limits the number of series.',
      unit: 'short',
      width: 12,
      queries: { [LEGEND]: `max by (${COLLECTOR}) (proxywatch_series_dropped{${ACCOUNT_SELECTOR}})` },
    }),
  ],
};
