// Defines expressions of the Proxy tests dashboard: cells of the matrix, and the proxies that it shows.

import { ACCOUNT_SELECTOR, quantileOf } from '../expressions.ts';

export const TYPE_SELECTOR = `${ACCOUNT_SELECTOR}, product_type=~"$product_type"`;
export const RESULT_SELECTOR = `${ACCOUNT_SELECTOR}, url=~"$url", tester_server=~"$tester_server"`;
export const CELL_SELECTOR = `${RESULT_SELECTOR}, proxy_id=~"$proxy"`;
export const PROXY = 'account, proxy_id';
export const PROXY_LABELS = { account: 'Account', proxy_id: 'Proxy' };

/** Restricts an expression to proxies of the chosen product types, by their info metric. */
const ofSelectedTypes = (expression: string): string =>
  `(${expression}) and on (${PROXY}) proxywatch_proxy_info{${TYPE_SELECTOR}} @ end()`;

/** The share of the time in which the newest tests succeeded. It has no value without results. */
export const uptime = (by: string, range: string): string => uptimeOf(CELL_SELECTOR, by, range);

export const uptimeOf = (selector: string, by: string, range: string): string =>
  `avg by (${by}) (avg_over_time(proxywatch_proxy_test_success{${selector}}[${range}]))`;

/** The proxies with the most failures among their last results, as of the end of the range. */
export const WORST = `bottomk($limit, ${ofSelectedTypes(`avg by (${PROXY}) (proxywatch_proxy_test_success{${CELL_SELECTOR}} @ end())`)})`;

export const WORST_UPTIME = `bottomk($limit, ${ofSelectedTypes(uptime(PROXY, '$__range'))})`;

export const SLOWEST = `topk($limit, ${ofSelectedTypes(`avg by (${PROXY}) (proxywatch_proxy_test_last_response_time_seconds{${CELL_SELECTOR}})`)})`;

export const LONGEST_UNTESTED = `topk($limit, ${ofSelectedTypes(`time() - max by (${PROXY}) (proxywatch_proxy_test_last_timestamp_seconds{${ACCOUNT_SELECTOR}, proxy_id=~"$proxy"})`)})`;

/** The last results of the worst proxies, with labels for the row and the column of each. */
export const MATRIX =
  'label_join(label_join(' +
  `max by (${PROXY}, url, tester_server) (proxywatch_proxy_test_success{${CELL_SELECTOR}}) and on (${PROXY}) ${WORST}` +
  ', "cell", " ", "url", "tester_server"), "proxy", " ", "account", "proxy_id")';

export const quantile = (level: number, by: string): string =>
  quantileOf(level, 'proxywatch_proxy_test_response_time_seconds', RESULT_SELECTOR, '$window', by);
