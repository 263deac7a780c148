// Lists deviations from the provider's documentation, with what the report says about each.

import type { ProviderReport } from '../../../src/http/provider-report.ts';
import { MINUTE } from '../../../src/lib/time.ts';
import {
  type PlantedFault,
  type ProviderAnswer,
  type ProviderRequest,
  rewriteJson,
  withBody,
} from '../../support/faulty-provider.ts';

type Json = Record<string, unknown>;
type EndpointReport = ProviderReport['accounts'][number]['endpoints'][number];
type Field = EndpointReport['fields'][number];

export interface Deviation {
  readonly what: string;
  readonly endpoint: string;
  readonly change: (answer: ProviderAnswer, request: ProviderRequest) => ProviderAnswer;
  /** Whether the report of the endpoint names it. */
  readonly isNamed: (report: EndpointReport) => boolean;
}

const inJson =
  (rewrite: (json: Json) => Json): Deviation['change'] =>
  (answer) =>
    answer.status === 200 ? rewriteJson(answer, (json) => rewrite(json as Json)) : answer;

/** Changes each item of `data`, or `data` itself if it is one object. */
const inData = (rewrite: (item: Json) => Json): Deviation['change'] =>
  inJson((json) => ({
    ...json,
    data: Array.isArray(json.data) ? json.data.map(rewrite) : rewrite(json.data as Json),
  }));

/** Changes each value of the map in `data`. */
const inMap = (rewrite: (item: Json) => Json): Deviation['change'] =>
  inJson((json) => ({
    ...json,
    data: Object.fromEntries(
      Object.entries(json.data as Json).map(([key, item]) => [key, rewrite(item as Json)]),
    ),
  }));

const withoutField = (item: Json, name: string): Json =>
  Object.fromEntries(Object.entries(item).filter(([key]) => key !== name));

const field =
  (path: string, is: (field: Field) => boolean): Deviation['isNamed'] =>
  ({ fields }) =>
    fields.some((each) => each.path === path && is(each));

const hasType = (path: string, type: string): Deviation['isNamed'] =>
  field(path, ({ other_types }) => (other_types[type] ?? 0) > 0);

const hasUnknown =
  (path: string, name: string): Deviation['isNamed'] =>
  ({ unknown_fields }) =>
    unknown_fields.some((each) => each.path === path && each.named.some((known) => known.name === name));

const isDifferent =
  (start: string): Deviation['isNamed'] =>
  ({ totals }) =>
    totals.some(({ rule, different }) => rule.startsWith(start) && different > 0);

const bucketsOf = (json: Json): Json[] => (json.data as { intervals: Json[] }).intervals;

const withBuckets = (buckets: (all: readonly Json[]) => readonly Json[]): Deviation['change'] =>
  inJson((json) => ({ ...json, data: { ...(json.data as Json), intervals: buckets(bucketsOf(json)) } }));

const GRAPH = 'analytics/graph';
const USERS = 'proxy_user/search';
const LEDGER = 'residential_ledger/search';
const CATALOG = 'checkout/catalog';

/** Applies the change to one page, so that the listing has other deviations on other pages. */
const onPage =
  (page: number, change: Deviation['change']): Deviation['change'] =>
  (answer, request) =>
    request.query.page === String(page) ? change(answer, request) : answer;

const reversed = onPage(
  1,
  inJson((json) => ({ ...json, data: (json.data as Json[]).toReversed() })),
);

/** The last page begins with an id that belongs to an earlier page. */
const overlapping = onPage(
  3,
  inJson((json) => {
    const [first, ...others] = json.data as Json[];
    return { ...json, data: [{ ...first, proxy_user_id: '!' }, ...others] };
  }),
);

/** The total of all pages but the first is one more. */
const growingTotal: Deviation['change'] = (answer, request) => {
  if (request.query.page === '1') return answer;
  return inJson((json) => ({ ...json, total_count: Number(json.total_count) + 1 }))(answer, request);
};

/** The first request is refused, with a date as the time to wait. */
const refusedOnce = (): Deviation['change'] => {
  let isRefused = false;
  return (answer) => {
    if (isRefused) return answer;
    isRefused = true;
    const until = new Date(Date.parse(String(answer.headers.date)) + 2_000).toUTCString();
    const body = JSON.stringify({ error: 'Too Many Requests', message: 'Slow down.', retry_at: until });
    return withBody(answer, body, { status: 429, headers: { 'retry-after': until } });
  };
};

const FIELDS: readonly Deviation[] = [
  {
    ...{ what: 'an unknown field of an item', endpoint: USERS },
    change: inData((user) => ({ ...user, proxy_user_tier: 7 })),
    isNamed: hasUnknown('data[]', 'proxy_user_tier'),
  },
  {
    ...{ what: 'an unknown field of an answer', endpoint: LEDGER },
    change: inJson((json) => ({ ...json, next_page: 2 })),
    isNamed: hasUnknown('', 'next_page'),
  },
  {
    ...{ what: 'a missing field', endpoint: USERS },
    change: inData((user) => withoutField(user, 'proxy_user_is_default')),
    isNamed: field('data[].proxy_user_is_default', ({ missing }) => missing > 0),
  },
  {
    ...{ what: 'a null', endpoint: 'proxy/search' },
    change: inData((proxy) => ({ ...proxy, subdivision_name: null })),
    isNamed: field('data[].subdivision_name', (each) => each.null > 0),
  },
  {
    ...{ what: 'a number as text', endpoint: LEDGER },
    change: inData((row) => ({ ...row, residential_ledger_requests: '12' })),
    isNamed: hasType('data[].residential_ledger_requests', 'number_text'),
  },
  {
    ...{ what: 'a number in place of a flag', endpoint: CATALOG },
    change: inMap((product) => ({ ...product, product_is_per_ip: 1 })),
    isNamed: hasType('data.{}.product_is_per_ip', 'integer'),
  },
  {
    ...{ what: 'a fraction', endpoint: 'city/retrieve' },
    change: inData((city) => ({ ...city, city_node_count: 1.5 })),
    isNamed: hasType('data.city_node_count', 'fraction'),
  },
  {
    ...{ what: 'a number that is too large to be exact', endpoint: 'subdivision/retrieve' },
    change: inData((subdivision) => ({ ...subdivision, subdivision_node_count: 2 ** 60 })),
    isNamed: hasType('data.subdivision_node_count', 'huge_number'),
  },
  {
    ...{ what: 'a datetime in another form', endpoint: 'service/retrieve' },
    change: inData((service) => ({ ...service, service_expiry_datetime: '2026-08-01T00:00:00Z' })),
    isNamed: hasType('data.service_expiry_datetime', 'text'),
  },
  {
    ...{ what: 'an empty text', endpoint: 'asn/search' },
    change: inData((asn) => ({ ...asn, asn_name: '' })),
    isNamed: hasType('data[].asn_name', 'empty_text'),
  },
  {
    ...{ what: 'the word null', endpoint: 'continent/search' },
    change: inData((continent) => ({ ...continent, continent_alias: 'null' })),
    isNamed: hasType('data[].continent_alias', 'word_null'),
  },
  {
    ...{ what: 'an unknown word', endpoint: 'proxy/search' },
    change: inData((proxy) => ({ ...proxy, proxy_type: 'orbital' })),
    isNamed: field('data[].proxy_type', ({ unknown_words }) => unknown_words > 0),
  },
  {
    ...{ what: 'an object in place of a list', endpoint: USERS },
    change: inData((user) => ({ ...user, restricted_service_ids: {} })),
    isNamed: hasType('data[].restricted_service_ids', 'object'),
  },
  {
    ...{ what: 'an id in another form', endpoint: 'proxy_test_run/create' },
    change: inJson((json) => ({ ...json, created: ['run-1'] })),
    isNamed: hasType('created[]', 'text'),
  },
];

const NUMBERS: readonly Deviation[] = [
  {
    ...{ what: 'a total that is not the sum', endpoint: GRAPH },
    change: inJson(({ data, ...json }) => ({
      ...json,
      data: { ...(data as Json), total_bytes: Number((data as Json).total_bytes) + 1 },
    })),
    isNamed: isDifferent('data.total_bytes '),
  },
  {
    ...{ what: 'a wrong count of items', endpoint: LEDGER },
    change: inJson((json) => ({ ...json, item_count: 0 })),
    isNamed: isDifferent('item_count '),
  },
  {
    ...{ what: 'bytes left that are not limit minus used', endpoint: USERS },
    change: inData((user) => ({ ...user, residential_bytes_left: -1 })),
    isNamed: isDifferent('data[].residential_bytes_left '),
  },
  {
    ...{ what: 'a price that does not add up', endpoint: 'checkout/quote' },
    change: inData((quote) => ({ ...quote, discount: 1 })),
    isNamed: isDifferent('data.total '),
  },
  {
    ...{ what: 'items in another order', endpoint: USERS },
    change: reversed,
    isNamed: ({ pages }) => (pages?.unordered_pages ?? 0) > 0,
  },
  {
    ...{ what: 'a page that begins before the end of the one before', endpoint: USERS },
    change: overlapping,
    isNamed: ({ pages }) => (pages?.overlapping_pages ?? 0) > 0,
  },
  {
    ...{ what: 'a total that changes from page to page', endpoint: USERS },
    change: growingTotal,
    isNamed: ({ pages }) => (pages?.changed_totals ?? 0) > 0,
  },
];

const TIMES: readonly Deviation[] = [
  {
    ...{ what: 'buckets that come late', endpoint: GRAPH },
    change: withBuckets((all) => all.slice(0, -20)),
    isNamed: ({ minutes }) => (minutes?.newest_age_seconds?.min ?? 0) > (15 * MINUTE) / 1_000,
  },
  {
    ...{ what: 'buckets that are left out', endpoint: GRAPH },
    change: withBuckets((all) => all.filter((_, index) => index % 10 !== 5)),
    isNamed: ({ minutes }) => (minutes?.absent ?? 0) > 0,
  },
];

/** Returns the deviations, each not used yet. */
export const plantedDeviations = (): readonly Deviation[] => [
  ...[...FIELDS, ...NUMBERS, ...TIMES],
  {
    ...{ what: 'a time to wait that is a date', endpoint: CATALOG },
    change: refusedOnce(),
    isNamed: ({ rate_limits }) => rate_limits?.header_date === 1,
  },
  {
    ...{ what: 'an unknown field of an error', endpoint: CATALOG },
    // The refused request has it.
    change: (answer) => answer,
    isNamed: ({ errors }) =>
      errors.unknown_fields.some(({ named }) => named.some(({ name }) => name === 'retry_at')),
  },
];

/** Applies all deviations of the request's endpoint to its answer. */
export const applyTo =
  (deviations: readonly Deviation[]): PlantedFault['react'] =>
  (answer, request) =>
    deviations
      .filter(({ endpoint }) => endpoint === request.endpoint)
      .reduce((changed, { change }) => change(changed, request), answer);
