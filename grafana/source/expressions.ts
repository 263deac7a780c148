// Defines expressions that several dashboards use.

import { SAME_LABELS } from '../../src/alerts/alert.ts';

/** Selects the series of the chosen accounts. */
export const ACCOUNT_SELECTOR = 'account=~"$account"';
/** Converts seconds to milliseconds, which Grafana's date units need. */
export const toMillis = (expression: string): string => `${expression} * 1000`;

/**
 * Converts cents to whole units, and adds the label `currency` of the account. Only for current values: an account has no
 * currency before the daemon first showed one, and its former amounts would be missing.
 */
export const inCurrency = (cents: string): string =>
  `${cents} / 100 * on (account) group_left (currency) max by (account, currency) (proxywatch_account_currency_info{${ACCOUNT_SELECTOR}})`;

/** What panels say about amounts of money without a label. */
export const MONEY_NOTE = 'The amount is in the currency of the setting `currency`.';

/** The share of failed requests in the newest buckets over 15 minutes. It has no value if there were no requests. */
export const errorRatio = (group: 'traffic' | 'graph', selector: string, by: string): string =>
  `sum by (${by}) (avg_over_time(proxywatch_${group}_last_bucket_failed_requests{${selector}}[15m]))` +
  ` / on (${by}) (sum by (${by}) (avg_over_time(proxywatch_${group}_last_bucket_requests{${selector}}[15m])) > 0)`;

const SUCCESS = `proxywatch_collector_last_success_timestamp_seconds{${ACCOUNT_SELECTOR}}`;
const INTERVAL = `proxywatch_collector_interval_seconds{${ACCOUNT_SELECTOR}}`;

/** The age of a collector's last success, in intervals of its schedule. */
export const STALENESS = `(time() - ${SUCCESS}) / ${SAME_LABELS} ${INTERVAL}`;

/** 1 for collectors without a success for three intervals, or without any success; otherwise 0. */
export const IS_STALE = `(time() - ${SUCCESS} > bool ${SAME_LABELS} 3 * ${INTERVAL} or ${SAME_LABELS} ${INTERVAL} * 0 + 1)`;

/**
 * A quantile of a histogram over a range. A Prometheus that converts classic histograms to native ones has no buckets with
 * the label `le`. It has the family itself, which does not exist otherwise.
 */
export const quantileOf = (level: number, family: string, selector: string, range: string, by = ''): string =>
  `(histogram_quantile(${level}, sum by (${by}${by && ', '}le) (rate(${family}_bucket{${selector}}[${range}]))) or on (${by}) ` +
  `histogram_quantile(${level}, sum by (${by}) (rate(${family}{${selector}}[${range}]))))`;

export const usersInStates = (states: string, by = ''): string =>
  `sum${by === '' ? '' : ` by (${by})`} (proxywatch_proxy_users_by_quota{${ACCOUNT_SELECTOR}, state=~"${states}"})`;

/** The share of tested proxies that fail. */
export const failingRatio = (selector: string): string =>
  `sum by (account, product_type) (proxywatch_proxies_failing{${selector}})` +
  ` / on (account, product_type) (sum by (account, product_type) (proxywatch_proxies_tested{${selector}}) > 0)`;

const USER = 'account, proxy_user_id, product_type';
export const USER_LABELS = { account: 'Account', proxy_user_id: 'User', product_type: 'Type' };

/** The quotas with the smallest part left. Summing before dividing is twice as fast, because there are fewer labels. */
export const nearestToLimit = (selector: string, rows: string): string =>
  `bottomk(${rows}, sum by (${USER}) (proxywatch_proxy_user_left_bytes{${selector}})` +
  ` / on (${USER}) clamp_min(sum by (${USER}) (proxywatch_proxy_user_limit_bytes{${selector}}), 1))`;

export const firstToRunOut = (selector: string, rows: string): string =>
  `bottomk(${rows}, proxywatch_proxy_user_exhaustion_timestamp_seconds{${selector}})`;

export const byUser = (expression: string): string => `max by (${USER}) (${expression})`;

/** Another metric of the users that the expression `users` returns. */
export const metricOfUsers = (name: string, selector: string, users: string): string =>
  byUser(`proxywatch_proxy_user_${name}{${selector}} and on (${USER}) ${users}`);
