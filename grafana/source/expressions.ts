// Expressions that more than one dashboard asks for.

/** Series of the accounts that are picked. */
export const OF_ACCOUNT = 'account=~"$account"';
/** Where Prometheus wants milliseconds of a time: Grafana's dates do. */
export const toMillis = (expression: string): string => `${expression} * 1000`;

/** What the newest buckets of a quarter of an hour say of failures; nothing where there were no requests. */
export const errorRatio = (group: 'traffic' | 'graph', selector: string, by: string): string =>
  `sum by (${by}) (avg_over_time(proxywatch_${group}_last_bucket_failed_requests{${selector}}[15m]))` +
  ` / (sum by (${by}) (avg_over_time(proxywatch_${group}_last_bucket_requests{${selector}}[15m])) > 0)`;

const SUCCESS = `proxywatch_collector_last_success_timestamp_seconds{${OF_ACCOUNT}}`;
const INTERVAL = `proxywatch_collector_interval_seconds{${OF_ACCOUNT}}`;

/** In intervals of the collector, how old its last success is. */
export const STALENESS = `(time() - ${SUCCESS}) / ${INTERVAL}`;

/** 1 for collectors without a success for three intervals, or ever; else 0. */
export const IS_STALE = `(time() - ${SUCCESS} > bool 3 * ${INTERVAL} or ${INTERVAL} * 0 + 1)`;

export const usersIn = (states: string, by = ''): string =>
  `sum${by === '' ? '' : ` by (${by})`} (proxywatch_proxy_users_by_quota{${OF_ACCOUNT}, state=~"${states}"})`;

/** Failing of tested proxies. */
export const failingRatio = (selector: string): string =>
  `sum by (account, product_type) (proxywatch_proxies_failing{${selector}})` +
  ` / (sum by (account, product_type) (proxywatch_proxies_tested{${selector}}) > 0)`;

const USER = 'account, proxy_user_id, product_type';
export const USER_LABELS = { account: 'Account', proxy_user_id: 'User', product_type: 'Type' };

/** The quotas with the smallest part left. Summing before dividing is twice as fast: the labels are fewer. */
export const nearestToLimit = (selector: string, rows: string): string =>
  `bottomk(${rows}, sum by (${USER}) (proxywatch_proxy_user_left_bytes{${selector}})` +
  ` / clamp_min(sum by (${USER}) (proxywatch_proxy_user_limit_bytes{${selector}}), 1))`;

export const firstToRunOut = (selector: string, rows: string): string =>
  `bottomk(${rows}, proxywatch_proxy_user_exhaustion_timestamp_seconds{${selector}})`;

export const byUser = (expression: string): string => `max by (${USER}) (${expression})`;

/** Another family of the users that were found. */
export const ofUsers = (name: string, selector: string, found: string): string =>
  byUser(`proxywatch_proxy_user_${name}{${selector}} and on (${USER}) ${found}`);
