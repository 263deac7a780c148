// Builds the Daemon dashboard's row about collectors: results, durations, age of data, skipped items.

import type { Row } from '../dashboard.ts';
import { ACCOUNT_SELECTOR, STALENESS, toMillis } from '../expressions.ts';
import { bars, graph } from '../graph.ts';
import { redAbove, redBelow, warnAbove } from '../panel.ts';
import { table } from '../table.ts';

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
      description: 'Of each collector: whether it was a success, when, how long it took, how often it runs.',
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
        Took: { expr: collectorMetric('duration_seconds'), unit: 's' },
        Interval: { expr: collectorMetric('interval_seconds'), unit: 's' },
      },
      sortBy: ['Age in intervals', true],
    }),
    table({
      title: 'Errors now',
      description: 'The kind that the last run met first, or that a graph of traffic failed with.',
      width: 10,
      height: 10,
      noValue: 'none',
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
      title: 'Runs an hour by result',
      description: 'Partial: a part of it failed. Skipped: the run before was still going.',
      unit: 'short',
      width: 8,
      queries: {
        '{{result}}': `sum by (result) (increase(proxywatch_collector_runs_total{${ACCOUNT_SELECTOR}}[$__interval]))`,
      },
    }),
    graph({
      title: 'Age of the data',
      description: 'Time since the last success, in intervals of the schedule: the twenty oldest.',
      unit: 'short',
      decimals: 1,
      width: 8,
      alert: 'DataStale',
      queries: { [LEGEND]: largest(`max by (${COLLECTOR}) (${STALENESS})`) },
    }),
    graph({
      title: 'Durations',
      description: 'Of the last run of each collector: the twenty longest.',
      unit: 's',
      width: 8,
      queries: { [LEGEND]: largest(collectorMetric('duration_seconds')) },
    }),
    bars({
      title: 'Items skipped an hour',
      description: 'Items of answers that did not decode, and were left out.',
      unit: 'short',
      width: 12,
      queries: {
        [LEGEND]: `sum by (${COLLECTOR}) (increase(proxywatch_items_skipped_total{${ACCOUNT_SELECTOR}}[$__interval]))`,
      },
    }),
    graph({
      title: 'Series dropped',
      description: 'Users, cells of the test matrix, proxies and products beyond their caps, without series.',
      unit: 'short',
      width: 12,
      queries: { [LEGEND]: `max by (${COLLECTOR}) (proxywatch_series_dropped{${ACCOUNT_SELECTOR}})` },
    }),
  ],
};
