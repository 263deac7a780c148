// Builds the Traffic dashboard: the whole account, its slices, smartpath, and withheld or late data.

import { dashboard } from '../dashboard.ts';
import { ACCOUNT_SELECTOR, errorRatio } from '../expressions.ts';
import { bars, graph } from '../graph.ts';
import { account, choice } from '../variables.ts';
import { now } from './now.ts';
import { slicesRow } from './slices.ts';

const wholeAccount = [
  graph({
    title: 'Bytes in the newest bucket',
    description: 'Shows the bytes of the newest complete bucket at each time.',
    unit: 'decbytes',
    width: 12,
    queries: {
      '{{account}}': `sum by (account) (proxywatch_traffic_last_bucket_bytes{${ACCOUNT_SELECTOR}})`,
    },
  }),
  bars({
    title: 'Bytes per hour',
    description:
      'Shows the growth of the counter in each hour. In a long range, each bar stands for a longer time.',
    unit: 'decbytes',
    width: 12,
    queries: {
      '{{account}}': `sum by (account) (increase(proxywatch_traffic_bytes_total{${ACCOUNT_SELECTOR}}[$__interval]))`,
    },
  }),
  graph({
    title: 'Requests in the newest bucket',
    description:
      'Shows the number of all requests and of failed requests in the newest complete bucket at each time.',
    unit: 'short',
    width: 12,
    queries: {
      '{{account}}': `sum by (account) (proxywatch_traffic_last_bucket_requests{${ACCOUNT_SELECTOR}})`,
      '{{account}} failed': `sum by (account) (proxywatch_traffic_last_bucket_failed_requests{${ACCOUNT_SELECTOR}})`,
    },
  }),
  bars({
    title: 'Requests per hour',
    description:
      'Shows the growth of the counters of successful and of failed requests, for all accounts together.',
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
      'Shows the share of requests that failed, over 15 minutes. The dashed line is the threshold of the alert.',
    unit: 'percentunit',
    width: 12,
    alert: 'TrafficErrorRatioHigh',
    queries: { '{{account}}': errorRatio('traffic', ACCOUNT_SELECTOR, 'account') },
  }),
  graph({
    title: 'Concurrency',
    description:
      'Shows the average and the highest number of connections at a time in the newest complete bucket.',
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
      'Shows the bytes that the provider took back and the counter still contains. A negative value is growth that a new counter does not show yet.',
    unit: 'decbytes',
    width: 8,
    queries: { '{{account}}': `max by (account) (proxywatch_traffic_withheld_bytes{${ACCOUNT_SELECTOR}})` },
  }),
  graph({
    title: 'Withheld requests',
    description: 'Shows the requests that the provider took back and the counter still contains.',
    unit: 'short',
    width: 8,
    queries: {
      '{{account}}': `max by (account) (proxywatch_traffic_withheld_requests{${ACCOUNT_SELECTOR}})`,
    },
  }),
  graph({
    title: 'Age of the newest bucket',
    description:
      'Shows the time since the start of the newest complete bucket. It grows while the provider or the daemon is late.',
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
      'Shows the total length of gaps that proxywatch will still read, for the account and for the selected slices.',
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
      'Shows the number of answers with totals that differ from the sums of their buckets. proxywatch counts the buckets.',
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
    description: 'Shows the bytes that smartpath routed. The provider does not charge them.',
    unit: 'decbytes',
    width: 8,
    queries: {
      '{{account}}': `sum by (account) (increase(proxywatch_smartpath_routed_bytes_total{${ACCOUNT_SELECTOR}}[$__interval]))`,
    },
  }),
  graph({
    title: 'Routed share of requests',
    description: 'Shows the share of the requests of 24 hours that smartpath routed.',
    unit: 'percentunit',
    width: 8,
    queries: {
      '{{account}}':
        `sum by (account) (increase(proxywatch_smartpath_routed_requests_total{${ACCOUNT_SELECTOR}}[1d]))` +
        ` / (sum by (account) (increase(proxywatch_traffic_requests_total{${ACCOUNT_SELECTOR}}[1d])) > 0)`,
    },
  }),
  graph({
    title: 'Saved money in 24 hours',
    description:
      'Shows the money that smartpath saved, in the account’s currency. The provider reports cents and does not name the currency.',
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
  description: 'Shows bytes, requests, failures and concurrency of accounts and of their slices.',
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
