// Exposes counted requests and errors, and the clients of proxy users, as samples, and adds up the newest counted hour.

import type { SampleSink } from '../../lib/family.ts';
import { REFUSAL_CLASSES } from '../../lib/refusal-codes.ts';
import { SECOND } from '../../lib/time.ts';
import { shownCounter } from '../../store/counter.ts';
import { MAX_CLIENTS, type RequestLogState } from '../../store/request-log-store.ts';
import type { ReadContext } from '../context.ts';
import { counters, gauges, sampleAll } from '../families.ts';
import type { RequestLogOptions } from './allowance.ts';

const SOURCE = 'counted in log/search when their minute had settled.';
const RECENT = 'in the newest counted hour';
const SEEN = `as seen in the newest 24 counted hours. At most ${MAX_CLIENTS} unknown and ${MAX_CLIENTS} other ones are counted; of IPv6, networks of 64 bits.`;

export const families = {
  ...counters([], {
    proxywatch_log_uncounted_seconds_total:
      'Number of seconds whose requests could not be counted in log/search. Other counters of the log lack them.',
  }),
  ...gauges([], {
    proxywatch_log_counted_timestamp_seconds: 'Time up to which requests are counted in log/search.',
  }),
  ...counters(['product_type'], {
    proxywatch_log_requests_total: `Number of requests through proxies, ${SOURCE}`,
  }),
  ...counters(['class', 'code', 'product_type'], {
    proxywatch_log_errors_total: `Number of failed requests by the first three digits of the provider's code, ${SOURCE}`,
  }),
  ...gauges(['product_type'], {
    proxywatch_log_recent_requests: `Number of requests through proxies ${RECENT} of log/search.`,
  }),
  ...gauges(['class', 'product_type'], {
    proxywatch_log_recent_errors: `Number of failed requests ${RECENT} of log/search.`,
  }),
  ...gauges(['proxy_user_id'], {
    proxywatch_user_client_addresses: `Number of addresses that used the login of the user, ${SEEN}`,
    proxywatch_user_unknown_client_addresses: `Number of them that are neither in allow nor in the user's own list, ${SEEN} No sample if there are none in the requests that were read, but others were not read or could not be compared.`,
  }),
} as const;

/** Of more users, those without unknown addresses are left out first. */
export const MAX_USERS = 1_000;

export const exposeRequestLog = async (
  { account, options, store }: ReadContext<RequestLogOptions>,
  sink: SampleSink,
): Promise<void> => {
  const { storedAt, counters: stored } = await store.requestLog.counters(account.name);
  for (const { productType: product_type, class: refusal, code, counter } of stored) {
    const { value } = shownCounter(counter, storedAt);
    if (product_type === '') sampleAll(sink, {}, families, { proxywatch_log_uncounted_seconds_total: value });
    else if (code === '')
      sampleAll(sink, { product_type }, families, { proxywatch_log_requests_total: value });
    else
      sampleAll(sink, { class: refusal, code, product_type }, families, {
        proxywatch_log_errors_total: value,
      });
  }
  const state = await store.requestLog.state(account.name);
  sampleAll(sink, {}, families, {
    proxywatch_log_counted_timestamp_seconds: state && state.countedTo / SECOND,
  });
  for (const [product_type, { requests, errors }] of state ? recentRequests(state) : []) {
    sampleAll(sink, { product_type }, families, { proxywatch_log_recent_requests: requests });
    for (const name of new Set([...REFUSAL_CLASSES, ...errors.keys()]))
      sampleAll(sink, { class: name, product_type }, families, {
        proxywatch_log_recent_errors: errors.get(name) ?? 0,
      });
  }
  if (!options.client_addresses) return;
  for (const { user, clients, unknown } of await store.requestLog.clients(account.name, MAX_USERS))
    sampleAll(sink, { proxy_user_id: user }, families, {
      proxywatch_user_client_addresses: clients,
      proxywatch_user_unknown_client_addresses: unknown,
    });
};

type RecentRequests = ReadonlyMap<
  string,
  { readonly requests: number; readonly errors: ReadonlyMap<string, number> }
>;

export const recentRequests = ({ recent }: Pick<RequestLogState, 'recent'>): RecentRequests => {
  const types = new Map<string, { requests: number; errors: Map<string, number> }>();
  for (const { productType, requests, errors } of recent.flatMap(({ counts }) => counts)) {
    const sum = types.get(productType) ?? { requests: 0, errors: new Map() };
    types.set(productType, sum);
    sum.requests += requests;
    for (const each of errors) sum.errors.set(each.class, (sum.errors.get(each.class) ?? 0) + each.errors);
  }
  return types;
};
