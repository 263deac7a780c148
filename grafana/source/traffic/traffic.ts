// Builds the Traffic dashboard: the whole account, its slices, smartpath, and withheld or late data.

import { dashboard } from '../dashboard.ts';
import { ACCOUNT_SELECTOR, errorRatio, MONEY_NOTE } from '../expressions.ts';
import { bars, graph } from '../time-series.ts';
import { account, choice } from '../variables.ts';
import { now } from './now.ts';
import { slicesRow } from './slices.ts';

const wholeAccount = [
  graph({
    title: 'Bytes in the newest bucket',
    description: 'Bytes of the newest complete bucket at each time.',
    unit: 'decbytes',
    width: 12,
    queries: {
      '{{account}}': `sum by (account) (proxywatch_traffic_last_bucket_bytes{${ACCOUNT_SELECTOR}})`,
    },
  }),
  bars({
    title: 'Bytes per hour',
    description:
      'Transferred bytes in each hour. In a long time range, each bar stands for more than an hour.',
    unit: 'decbytes',
    width: 12,
    queries: {
      '{{account}}': `sum by (account) (increase(proxywatch_traffic_bytes_total{${ACCOUNT_SELECTOR}}[$__interval]))`,
    },
  }),
  graph({
    title: 'Requests in the newest bucket',
    description: 'Number of all requests and of failed requests in the newest complete bucket at each time.',
    unit: 'short',
    width: 12,
    queries: {
      '{{account}}': `sum by (account) (proxywatch_traffic_last_bucket_requests{${ACCOUNT_SELECTOR}})`,
      '{{account}} failed': `sum by (account) (proxywatch_traffic_last_bucket_failed_requests{${ACCOUNT_SELECTOR}})`,
    },
  }),
  bars({
    title: 'Requests per hour',
    description: 'Number of successful and of failed requests in each hour, for all accounts together.',
    unit: 'short',
    width: 12,
    queries: Object.fromEntries(
      ['successful', 'failed'].map((kind) => [
        kind,
        `sum(increase(proxywatch_traffic_${kind}_requests_total{${ACCOUNT_SELECTOR}}[$__interval]))`,
      ]),
    ),
  }),
  graph({
    title: 'Failed requests',
    description:
      'Share of failed requests in the newest 15 minutes with traffic. The dashed line is the threshold of the alert TrafficErrorRatioHigh.',
    unit: 'percentunit',
    width: 12,
    alert: 'TrafficErrorRatioHigh',
    queries: { '{{account}}': errorRatio('traffic', ACCOUNT_SELECTOR, 'account') },
  }),
  graph({
    title: 'Concurrency',
    description:
      'Average and highest concurrency in the newest complete bucket, as the provider counts them.',
    unit: 'short',
    width: 12,
    queries: {
      '{{account}} average': `max by (account) (proxywatch_traffic_concurrency_average{${ACCOUNT_SELECTOR}})`,
      '{{account}} highest': `max by (account) (proxywatch_traffic_concurrency_max{${ACCOUNT_SELECTOR}})`,
    },
  }),
];

const withheldPanels = [
  graph({
    title: 'Withheld bytes',
    description:
      'Bytes that the counter contains although the provider has corrected them downward. A negative value is growth that a new counter does not show yet.',
    unit: 'decbytes',
    width: 8,
    queries: { '{{account}}': `max by (account) (proxywatch_traffic_withheld_bytes{${ACCOUNT_SELECTOR}})` },
  }),
  graph({
    title: 'Withheld requests',
    description: 'Requests that the counter contains although the provider has corrected them downward.',
    unit: 'short',
    width: 8,
    queries: {
      '{{account}}': `max by (account) (proxywatch_traffic_withheld_requests{${ACCOUNT_SELECTOR}})`,
    },
  }),
  graph({
    title: 'Age of the newest bucket',
    description:
      'Time since the start of the newest complete bucket. The time rises while the provider or the daemon is late.',
    unit: 's',
    width: 8,
    queries: {
      '{{account}}': `max by (account) (time() - proxywatch_traffic_last_bucket_timestamp_seconds{${ACCOUNT_SELECTOR}})`,
    },
  }),
];

const latenessPanels = [
  graph({
    title: 'Unread time',
    description:
      'Total length of the gaps that proxywatch still tries to read, for the account and for the selected slices.',
    unit: 's',
    width: 12,
    queries: {
      '{{account}}': `max by (account) (proxywatch_traffic_gap_seconds{${ACCOUNT_SELECTOR}})`,
      '{{account}} {{graph}}': `max by (account, graph) (proxywatch_graph_gap_seconds{${ACCOUNT_SELECTOR}, graph=~"$graph"})`,
    },
  }),
  graph({
    title: 'Inconsistent answers per hour',
    description:
      'Number of the provider’s answers with totals that differ from the sums of their buckets. For such an answer, proxywatch uses the values of the buckets instead of the totals.',
    unit: 'short',
    width: 12,
    queries: {
      '{{account}} {{what}}': `sum by (account, what) (increase(proxywatch_inconsistent_answers_total{${ACCOUNT_SELECTOR}}[1h]))`,
    },
  }),
];

const smartpath = [
  bars({
    title: 'Routed bytes per hour',
    description: 'Bytes that smartpath routed. The provider does not charge for these bytes.',
    unit: 'decbytes',
    width: 8,
    queries: {
      '{{account}}': `sum by (account) (increase(proxywatch_smartpath_routed_bytes_total{${ACCOUNT_SELECTOR}}[$__interval]))`,
    },
  }),
  graph({
    title: 'Routed share of requests',
    description: 'Share of the requests of the last 24 hours that smartpath routed.',
    unit: 'percentunit',
    width: 8,
    queries: {
      '{{account}}':
        `sum by (account) (increase(proxywatch_smartpath_routed_requests_total{${ACCOUNT_SELECTOR}}[1d]))` +
        ` / on (account) (sum by (account) (increase(proxywatch_traffic_requests_total{${ACCOUNT_SELECTOR}}[1d])) > 0)`,
    },
  }),
  graph({
    title: 'Saved money in 24 hours',
    description: `Money that smartpath saved. ${MONEY_NOTE}`,
    unit: 'none',
    decimals: 2,
    width: 8,
    queries: {
      '{{account}}': `sum by (account) (increase(proxywatch_smartpath_money_saved_total{${ACCOUNT_SELECTOR}}[1d])) / 100`,
    },
  }),
];

export const traffic = dashboard({
  uid: 'proxywatch-traffic',
  title: 'proxywatch / Traffic',
  description: 'Bytes, requests, failures and concurrency of accounts and of their slices.',
  range: '24h',
  refresh: '1m',
  variables: [account(), choice('graph', 'Slice', 'proxywatch_graph_bytes_total{account=~"$account"}')],
  rows: [
    { title: 'Current state', panels: now },
    { title: 'Whole account', panels: wholeAccount },
    slicesRow,
    { title: 'Smartpath', collapsed: true, panels: smartpath },
    { title: 'Withheld and late data', collapsed: true, panels: [...withheldPanels, ...latenessPanels] },
  ],
});
