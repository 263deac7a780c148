// Builds the Daemon dashboard's row about requests to the provider: rates, results, durations and pace.

import type { Row } from '../dashboard.ts';
import { ACCOUNT_SELECTOR, quantileOf } from '../expressions.ts';
import { graph } from '../time-series.ts';

const REQUESTS = `rate(proxywatch_api_requests_total{${ACCOUNT_SELECTOR}}[$__rate_interval])`;
const quantile = (level: number, by = ''): string =>
  quantileOf(level, 'proxywatch_api_request_duration_seconds', ACCOUNT_SELECTOR, '$__rate_interval', by);

export const requestRow: Row = {
  title: 'Requests to the provider',
  panels: [
    graph({
      title: 'Requests by code',
      description:
        'Requests per second by HTTP status, or by error: `timeout`, `network` or `bad_response`. The panel includes retries.',
      unit: 'reqps',
      width: 8,
      stacked: true,
      queries: { '{{code}}': `sum by (code) (${REQUESTS})` },
    }),
    graph({
      title: 'Requests by endpoint',
      description: 'Requests per second by endpoint. The panel includes retries.',
      unit: 'reqps',
      width: 8,
      stacked: true,
      queries: { '{{api_endpoint}}': `sum by (api_endpoint) (${REQUESTS})` },
    }),
    graph({
      title: 'Requests by account and their limit',
      description:
        'Requests per second, and the limit that proxywatch sets. When several endpoints answer 429, proxywatch halves the limit. The limit is 0 during a pause of the account. After the pause, the limit rises slowly.',
      unit: 'reqps',
      width: 8,
      queries: {
        '{{account}}': `sum by (account) (${REQUESTS})`,
        '{{account}} allowed': `min by (account) (proxywatch_api_requests_per_second_limit{${ACCOUNT_SELECTOR}})`,
      },
    }),
    graph({
      title: 'Request durations',
      description:
        'Time from sending a request to the end of the answer. The time before the request’s turn does not count.',
      unit: 's',
      width: 8,
      queries: {
        median: quantile(0.5),
        '95th percentile': quantile(0.95),
        '99th percentile': quantile(0.99),
      },
    }),
    graph({
      title: 'Request durations by endpoint, 95th percentile',
      description:
        '95% of the requests that proxywatch sends to each endpoint of the provider are at least this fast.',
      unit: 's',
      width: 8,
      queries: { '{{api_endpoint}}': quantile(0.95, 'api_endpoint') },
    }),
    graph({
      title: 'Waiting requests and clock offset',
      description:
        "Number of requests that wait for their turn, and the provider's clock minus the clock of proxywatch in seconds.",
      unit: 'short',
      width: 8,
      queries: {
        '{{account}} waiting': `max by (account) (proxywatch_api_requests_waiting{${ACCOUNT_SELECTOR}})`,
        '{{account}} clock': `max by (account) (proxywatch_provider_clock_offset_seconds{${ACCOUNT_SELECTOR}})`,
      },
    }),
    graph({
      title: 'Time since the last success of an endpoint',
      description:
        'Time since the last successful request to each endpoint. The time rises while the endpoint is paused, while the provider forbids the endpoint, and while proxywatch does not request the endpoint. Endpoints have different schedules.',
      unit: 's',
      width: 24,
      queries: {
        '{{account}} {{api_endpoint}}': `time() - max by (account, api_endpoint) (proxywatch_api_last_success_timestamp_seconds{${ACCOUNT_SELECTOR}})`,
      },
    }),
  ],
};
