// Builds the Daemon dashboard's row about requests to the provider: rates, results, durations and pace.

import type { Row } from '../dashboard.ts';
import { ACCOUNT_SELECTOR } from '../expressions.ts';
import { graph } from '../graph.ts';

const REQUESTS = `rate(proxywatch_api_requests_total{${ACCOUNT_SELECTOR}}[$__rate_interval])`;
const quantile = (level: number, by: string): string =>
  `histogram_quantile(${level}, sum by (${by}) (rate(proxywatch_api_request_duration_seconds_bucket{${ACCOUNT_SELECTOR}}[$__rate_interval])))`;

export const requestRow: Row = {
  title: 'Requests to the provider',
  panels: [
    graph({
      title: 'Requests by code',
      description: 'The HTTP status, or timeout, network or bad_response. Retries count too.',
      unit: 'reqps',
      width: 8,
      stacked: true,
      queries: { '{{code}}': `sum by (code) (${REQUESTS})` },
    }),
    graph({
      title: 'Requests by endpoint',
      description: 'Retries count too.',
      unit: 'reqps',
      width: 8,
      stacked: true,
      queries: { '{{endpoint}}': `sum by (endpoint) (${REQUESTS})` },
    }),
    graph({
      title: 'Requests by account, and what is allowed',
      description:
        'Of a second. The pace is cut by half when several endpoints answer 429, is 0 in a pause, and slowly rises again.',
      unit: 'reqps',
      width: 8,
      queries: {
        '{{account}}': `sum by (account) (${REQUESTS})`,
        '{{account}} allowed': `min by (account) (proxywatch_api_requests_per_second_limit{${ACCOUNT_SELECTOR}})`,
      },
    }),
    graph({
      title: 'Duration',
      description: 'From sending to the end of the answer, without the wait for a turn.',
      unit: 's',
      width: 8,
      queries: { p50: quantile(0.5, 'le'), p95: quantile(0.95, 'le'), p99: quantile(0.99, 'le') },
    }),
    graph({
      title: 'Duration by endpoint (p95)',
      description: '95 of a hundred requests were faster.',
      unit: 's',
      width: 8,
      queries: { '{{endpoint}}': quantile(0.95, 'le, endpoint') },
    }),
    graph({
      title: 'Waiting and clock offset',
      description: "Requests that wait for their turn, and the provider's clock minus ours in seconds.",
      unit: 'short',
      width: 8,
      queries: {
        '{{account}} waiting': `max by (account) (proxywatch_api_requests_waiting{${ACCOUNT_SELECTOR}})`,
        '{{account}} clock': `max by (account) (proxywatch_provider_clock_offset_seconds{${ACCOUNT_SELECTOR}})`,
      },
    }),
    graph({
      title: 'Time since an endpoint last succeeded',
      description: 'It grows while an endpoint is refused, forbidden, or not asked; schedules differ.',
      unit: 's',
      width: 24,
      queries: {
        '{{account}} {{endpoint}}': `time() - max by (account, endpoint) (proxywatch_api_last_success_timestamp_seconds{${ACCOUNT_SELECTOR}})`,
      },
    }),
  ],
};
