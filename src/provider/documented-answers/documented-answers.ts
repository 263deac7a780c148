// Lists the documented answer of every endpoint that proxywatch requests.

import { ledgerRow, proxy, proxyUser, service } from './account.ts';
import { product, quote } from './checkout.ts';
import { asn, city, continent, subdivision } from './places.ts';
import { testResult } from './proxy-tests.ts';
import { list, map, type ObjectShape, object, optional, type Shape, value } from './shapes.ts';
import { graph } from './traffic.ts';

const found = (data: Shape): ObjectShape => object({ text: 'message' }, { data });

const page = (item: ObjectShape): ObjectShape =>
  object({ text: 'message', integer: 'item_count page per_page total_count' }, { data: list(item) });

/** By endpoint, as in the documentation, without the common prefix and without ids. */
export const DOCUMENTED_ANSWERS: Readonly<Record<string, ObjectShape>> = {
  'continent/search': page(continent),
  'asn/search': page(asn),
  'proxy_user/search': page(proxyUser),
  'residential_ledger/search': page(ledgerRow),
  'proxy/search': page(proxy),
  'service/retrieve': found(service),
  'proxy/retrieve': found(proxy),
  'city/retrieve': found(city),
  'subdivision/retrieve': found(subdivision),
  'checkout/catalog': found(map(product)),
  'checkout/quote': found(quote),
  'analytics/graph': found(graph),
  'proxy_test_run/create': object(
    { text: 'message' },
    {
      created: list(value('uuid')),
      data: map(object({}, { results: list(testResult) })),
      proxy_test_result_created: list(value('uuid')),
      proxy_tester_proxy_created: list(value('uuid')),
    },
  ),
};

/** The documented answer of an endpoint that refuses a request. */
export const DOCUMENTED_ERROR = object(
  { text: 'error message' },
  { api_request_id: optional(value('uuid')) },
);
