// Builds the Errors dashboard: why requests fail, by class, code and product type, which logins unknown addresses use, and what could
// not be counted.

import { dashboard } from '../dashboard.ts';
import { table } from '../table.ts';
import { bars, graph } from '../time-series.ts';
import { account, choice, limit } from '../variables.ts';

const SELECTOR = 'account=~"$account", product_type=~"$product_type"';

const recentShare = (by: string): string =>
  `sum by (account, ${by}) (proxywatch_log_recent_errors{${SELECTOR}}) / on (account) group_left () (sum by (account) (proxywatch_log_recent_requests{${SELECTOR}}) > 0)`;

const counted = (by: string): string =>
  `sum by (${by}) (increase(proxywatch_log_errors_total{${SELECTOR}}[$__interval]))`;

const reasons = [
  graph({
    title: 'Share of failed requests by reason',
    description:
      'Failed requests of each class in the newest counted hour, as a share of all requests. The dashed line is the threshold of the alert RequestErrorsHigh, which applies to each product type.',
    unit: 'percentunit',
    width: 12,
    alert: 'RequestErrorsHigh',
    queries: { '{{account}} {{class}}': recentShare('class') },
  }),
  bars({
    title: 'Failed requests per hour by reason',
    description: 'Number of failed requests in each hour, by the class of the provider’s code.',
    unit: 'short',
    width: 12,
    queries: { '{{class}}': counted('class') },
  }),
  bars({
    title: 'Failed requests per hour by product type',
    description: 'Number of failed requests in each hour of each product type.',
    unit: 'short',
    width: 12,
    queries: { '{{product_type}}': counted('product_type') },
  }),
  table({
    title: 'Failed requests by code',
    description: 'Number of failed requests in the time range, by the first three digits of the code.',
    width: 12,
    labels: { account: 'Account', class: 'Reason', code: 'Code', product_type: 'Product type' },
    columns: {
      Requests: {
        expr: `topk($limit, sum by (account, class, code, product_type) (increase(proxywatch_log_errors_total{${SELECTOR}}[$__range])))`,
        unit: 'short',
        decimals: 0,
      },
    },
    sortBy: ['Requests', true],
  }),
];

const inDay = (name: string) => ({
  expr: `topk($limit, max by (account, proxy_user_id) (proxywatch_user_${name}{account=~"$account"}))`,
  unit: 'short',
  decimals: 0,
});

const logins = [
  table({
    title: 'Client addresses by proxy user',
    description:
      'Number of addresses that used the login of each user in the newest 24 counted hours, as far as the requests were read. Without a number of unknown addresses, it is not known whether there are any.',
    width: 24,
    labels: { account: 'Account', proxy_user_id: 'User' },
    columns: { Addresses: inDay('client_addresses'), Unknown: inDay('unknown_client_addresses') },
    statusPage: ['proxy_user_id'],
    sortBy: ['Unknown', true],
  }),
];

const counting = [
  bars({
    title: 'Counted requests per hour',
    description: 'Number of requests in each hour that were counted in the provider’s log.',
    unit: 'short',
    width: 8,
    queries: {
      '{{product_type}}': `sum by (product_type) (increase(proxywatch_log_requests_total{${SELECTOR}}[$__interval]))`,
    },
  }),
  graph({
    title: 'Age of the newest counted minute',
    description: 'Time since the newest counted minute. It rises while requests cannot be counted.',
    unit: 's',
    width: 8,
    queries: {
      '{{account}}':
        'max by (account) (time() - proxywatch_log_counted_timestamp_seconds{account=~"$account"})',
    },
  }),
  bars({
    title: 'Time that was not counted',
    description:
      'Time in each hour whose requests could not be counted. The numbers of requests and errors lack it.',
    unit: 's',
    width: 8,
    queries: {
      '{{account}}':
        'sum by (account) (increase(proxywatch_log_uncounted_seconds_total{account=~"$account"}[$__interval]))',
    },
  }),
];

export const errors = dashboard({
  uid: 'proxywatch-errors',
  title: 'proxywatch / Errors',
  description: 'Why requests through the proxies fail, by the codes in the provider’s log.',
  range: '24h',
  refresh: '5m',
  variables: [
    account(),
    choice('product_type', 'Product type', 'proxywatch_log_requests_total{account=~"$account"}'),
    limit(),
  ],
  rows: [
    { title: 'Why requests fail', panels: reasons },
    { title: 'Addresses that use the logins', panels: logins },
    { title: 'What is counted', panels: counting },
  ],
});
