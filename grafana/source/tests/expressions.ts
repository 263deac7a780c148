// What the rows of proxy tests ask for: cells of the matrix, and which proxies of it are shown.

import { OF_ACCOUNT } from '../expressions.ts';

export const OF_TYPES = `${OF_ACCOUNT}, product_type=~"$product_type"`;
export const OF_PLACES = `${OF_ACCOUNT}, url=~"$url", tester_server=~"$tester_server"`;
export const OF_CELLS = `${OF_PLACES}, proxy_id=~"$proxy"`;
export const PROXY = 'account, proxy_id';
export const PROXY_LABELS = { account: 'Account', proxy_id: 'Proxy' };

/** Keeps to proxies of the product types that are picked; they have an info each. */
const ofTypes = (expression: string): string =>
  `(${expression}) and on (${PROXY}) proxywatch_proxy_info{${OF_TYPES}} @ end()`;

const increase = (name: string, selector: string, by: string, range: string): string =>
  `sum by (${by}) (increase(proxywatch_proxy_test_${name}_total{${selector}}[${range}]))`;

/** Successful of all results; nothing where there were none. */
export const uptime = (by: string, range: string, selector = OF_CELLS): string =>
  `${increase('successes', selector, by, range)} / (${increase('results', selector, by, range)} > 0)`;

/** The proxies with the most failures among their last results, as of the end of the range. */
export const WORST = `bottomk($limit, ${ofTypes(`avg by (${PROXY}) (proxywatch_proxy_test_success{${OF_CELLS}} @ end())`)})`;

export const WORST_UPTIME = `bottomk($limit, ${ofTypes(uptime(PROXY, '$__range'))})`;

export const SLOWEST = `topk($limit, ${ofTypes(`avg by (${PROXY}) (proxywatch_proxy_test_last_response_time_seconds{${OF_CELLS}})`)})`;

export const LONGEST_UNTESTED = `topk($limit, ${ofTypes(`time() - max by (${PROXY}) (proxywatch_proxy_test_last_timestamp_seconds{${OF_ACCOUNT}, proxy_id=~"$proxy"})`)})`;

/** Last results of the worst, each with names for its row and its column. */
export const MATRIX =
  'label_join(label_join(' +
  `max by (${PROXY}, url, tester_server) (proxywatch_proxy_test_success{${OF_CELLS}}) and on (${PROXY}) ${WORST}` +
  ', "cell", " ", "url", "tester_server"), "proxy", " ", "account", "proxy_id")';

export const quantile = (part: number, by: string): string =>
  `histogram_quantile(${part}, sum by (le${by === '' ? '' : `, ${by}`}) (rate(proxywatch_proxy_test_response_time_seconds_bucket{${OF_PLACES}}[$window])))`;
