// Builds the Traffic dashboard: the whole account, its slices, smartpath, and withheld or late data.

import { dashboard } from '../dashboard.ts';
import { ACCOUNT_SELECTOR, errorRatio } from '../expressions.ts';
import { bars, graph } from '../graph.ts';
import { account, choice } from '../variables.ts';
import { now } from './now.ts';
import { slicesRow } from './slices.ts';

const wholeAccount = [
  graph({
    title: 'Bytes, newest bucket',
    description: 'Transferred in the newest complete bucket at each time.',
    unit: 'decbytes',
    width: 12,
    queries: {
      '{{account}}': `sum by (account) (proxywatch_traffic_last_bucket_bytes{${ACCOUNT_SELECTOR}})`,
    },
  }),
  bars({
    title: 'Bytes an hour',
    description: 'Growth of the counter in each hour, or in as much as a bar stands for in a long range.',
    unit: 'decbytes',
    width: 12,
    queries: {
      '{{account}}': `sum by (account) (increase(proxywatch_traffic_bytes_total{${ACCOUNT_SELECTOR}}[$__interval]))`,
    },
  }),
  graph({
    title: 'Requests, newest bucket',
    description: 'All requests and failed ones in the newest complete bucket at each time.',
    unit: 'short',
    width: 12,
    queries: {
      '{{account}}': `sum by (account) (proxywatch_traffic_last_bucket_requests{${ACCOUNT_SELECTOR}})`,
      '{{account}} failed': `sum by (account) (proxywatch_traffic_last_bucket_failed_requests{${ACCOUNT_SELECTOR}})`,
    },
  }),
  bars({
    title: 'Requests an hour',
    description: 'Successful and failed ones: growth of the counters, all accounts together.',
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
      'Failed of all requests, over a quarter of an hour. The dashed line is where the alert begins.',
    unit: 'percentunit',
    width: 12,
    alert: 'TrafficErrorRatioHigh',
    queries: { '{{account}}': errorRatio('traffic', ACCOUNT_SELECTOR, 'account') },
  }),
  graph({
    title: 'Concurrency',
    description: 'Average and highest number of connections at a time in the newest complete bucket.',
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
      'What the provider took back and the counter still has. Below 0: growth that a new counter does not show yet.',
    unit: 'decbytes',
    width: 8,
    queries: { '{{account}}': `max by (account) (proxywatch_traffic_withheld_bytes{${ACCOUNT_SELECTOR}})` },
  }),
  graph({
    title: 'Withheld requests',
    description: 'The same of requests.',
    unit: 'short',
    width: 8,
    queries: {
      '{{account}}': `max by (account) (proxywatch_traffic_withheld_requests{${ACCOUNT_SELECTOR}})`,
    },
  }),
  graph({
    title: 'Age of the newest bucket',
    description:
      'Since the start of the newest complete bucket. It grows while the provider or the daemon is late.',
    unit: 's',
    width: 8,
    queries: {
      '{{account}}': `max by (account) (time() - proxywatch_traffic_last_bucket_timestamp_seconds{${ACCOUNT_SELECTOR}})`,
    },
  }),
];

const latenessPanels = [
  graph({
    title: 'Time not read yet',
    description:
      'Unread time that newer traffic has passed by and that is still to be read, of the account and of the selected slices.',
    unit: 's',
    width: 12,
    queries: {
      '{{account}}': `max by (account) (proxywatch_traffic_gap_seconds{${ACCOUNT_SELECTOR}})`,
      '{{account}} {{graph}}': `max by (account, graph) (proxywatch_graph_gap_seconds{${ACCOUNT_SELECTOR}, graph=~"$graph"})`,
    },
  }),
  graph({
    title: 'Inconsistent answers an hour',
    description: 'Answers whose totals are not the sums of their buckets; the buckets are counted.',
    unit: 'short',
    width: 12,
    queries: {
      '{{account}} {{what}}': `sum by (account, what) (increase(proxywatch_inconsistent_answers_total{${ACCOUNT_SELECTOR}}[1h]))`,
    },
  }),
];

const smartpath = [
  bars({
    title: 'Routed bytes an hour',
    description: 'Bytes that smartpath routed past the meter: they are not charged.',
    unit: 'decbytes',
    width: 8,
    queries: {
      '{{account}}': `sum by (account) (increase(proxywatch_smartpath_routed_bytes_total{${ACCOUNT_SELECTOR}}[$__interval]))`,
    },
  }),
  graph({
    title: 'Routed part of the requests',
    description: 'Requests that smartpath routed, of all requests of a day.',
    unit: 'percentunit',
    width: 8,
    queries: {
      '{{account}}':
        `sum by (account) (increase(proxywatch_smartpath_routed_requests_total{${ACCOUNT_SELECTOR}}[1d]))` +
        ` / (sum by (account) (increase(proxywatch_traffic_requests_total{${ACCOUNT_SELECTOR}}[1d])) > 0)`,
    },
  }),
  graph({
    title: 'Money saved in a day',
    description: "By smartpath, in the provider's currency: its money is in cents by its documentation.",
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
  description: 'Bytes, requests, failures and concurrency of accounts and their slices.',
  range: '24h',
  refresh: '1m',
  variables: [account(), choice('graph', 'Slice', 'proxywatch_graph_bytes_total{account=~"$account"}')],
  rows: [
    { title: 'Now', panels: now },
    { title: 'Whole account', panels: wholeAccount },
    slicesRow,
    { title: 'Smartpath', collapsed: true, panels: smartpath },
    { title: 'Withheld and late', collapsed: true, panels: [...withheldPanels, ...latenessPanels] },
  ],
});
