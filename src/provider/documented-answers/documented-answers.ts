// Lists the documented answer of every endpoint that proxywatch requests.

import { PRODUCT_TYPE_WORDS, PROTOCOL_WORDS } from '../documented-words.ts';
import {
  customer,
  ledgerRow,
  logRow,
  logSummary,
  proxy,
  proxyUser,
  service,
  serviceAdjustment,
  summary,
} from './account.ts';
import { asn, city, continent, subdivision } from './places.ts';
import { list, map, type ObjectShape, object, optional, orNull, type Shape, value, word } from './shapes.ts';
import { ERROR_SOURCE_WORDS, TEST_PROTOCOL_WORDS } from './words.ts';

/** These fields come only if the request asks for concurrency. */
const onRequest = optional(value('number'));

/** A bucket starts with a date instead of a datetime if it is a day or a month long. */
const bucket = object(
  {
    text: 'interval_name',
    integer: 'bytes requests successful error smartpath_routed_bytes smartpath_routed_requests',
    number: 'smartpath_money_saved',
  },
  {
    interval: value('datetime', 'date'),
    avg_log_concurrency: onRequest,
    max_log_concurrency: onRequest,
  },
);

const graph = object(
  {
    integer: `total_bytes total_requests total_successful total_error total_smartpath_routed_bytes
      total_smartpath_routed_requests`,
    number: 'total_smartpath_money_saved',
  },
  {
    intervals: list(bucket),
    total_avg_log_concurrency: onRequest,
    total_max_log_concurrency: onRequest,
  },
);

/** A successful test has no error. */
const testResult = object(
  {
    uuid: 'proxy_test_result_id proxy_test_run_id proxy_tester_proxy_id',
    text: `proxy_test_result_url proxy_test_server_id proxy_test_server_city_name
      proxy_username proxy_host proxy_ip_address proxy_city_name proxy_asn_name`,
    'text or null': 'proxy_test_result_error_code',
    country: 'proxy_test_server_country_id proxy_country_id',
    boolean: 'proxy_test_result_is_successful',
    integer: `proxy_test_result_response_time proxy_test_server_city_id proxy_port proxy_city_id
      proxy_asn_id`,
    datetime: 'proxy_test_result_creation_datetime proxy_test_result_last_update_datetime',
  },
  {
    proxy_test_result_error_source: orNull(word(ERROR_SOURCE_WORDS)),
    proxy_test_result_protocol: word(TEST_PROTOCOL_WORDS),
  },
);

const product = object(
  {
    text: 'product_name',
    'country or null': 'country_id',
    boolean: 'product_is_available product_is_per_ip',
    integer: 'product_stock',
  },
  {
    product_type: word(PRODUCT_TYPE_WORDS),
    product_protocol: word(PROTOCOL_WORDS),
    product_cycle_options: list(value('cycle')),
  },
);

/** A product with its prices, which the catalog does not have. */
const pricedProduct = object(
  {
    uuid: 'product_id',
    text: 'product_name',
    'country or null': 'country_id',
    boolean: 'product_is_active',
    integer: 'product_stock',
  },
  {
    product_type: word(PRODUCT_TYPE_WORDS),
    product_protocol: word(PROTOCOL_WORDS),
    product_prices: list(
      object(
        {
          text: 'price_id price_type price_cycle_interval',
          number: 'price_amount price_per_unit_amount',
          integer: 'price_package_quantity price_cycle_interval_count',
          boolean: 'price_is_subscription',
          'text or null': 'price_tier_type',
        },
        {
          price_tiers: list(object({ 'number or null': 'price_tier_up_to', number: 'price_tier_amount' })),
        },
      ),
    ),
  },
);

/** Where others place an address. What the objects of `internal` have is not documented. */
const external = {
  country: 'country_id',
  number: 'asn_id latitude longitude',
  text: 'city_name timezone zip_code',
};
const geolocation = object({ metadata: 'internal' }, { external: object(external) });

/** The documentation has an "absent value" for these fields: null, the text "null", or no field at all. */
const textOrAbsent = optional(orNull(value('text', 'word_null')));

const lineItem = object(
  {
    text: 'item_name item_price_type item_price_id',
    integer: 'item_quantity',
    number: 'item_per_unit_amount item_total',
  },
  {
    item_type: word(PRODUCT_TYPE_WORDS),
    item_country_id: optional(orNull(value('country', 'word_null'))),
    service_fulfillment_filter: list(object({ country: 'country_id', integer: 'quantity' })),
  },
);

const quote = object(
  {
    boolean: 'is_valid discounted credit_only_checkout customer_credit_balance_applied is_top_up',
    number: `before_discount_total discount total total_after_applied_credit credit_balance
      customer_credit_balance_applied_amount top_up_amount`,
  },
  {
    invalid_reason: textOrAbsent,
    promotional_code: textOrAbsent,
    promotional_code_id: textOrAbsent,
    line_items: list(lineItem),
  },
);

const found = (data: Shape): ObjectShape => object({ text: 'message' }, { data });

const page = (item: ObjectShape): ObjectShape =>
  object({ text: 'message', integer: 'item_count page per_page total_count' }, { data: list(item) });

/** By endpoint, as in the documentation, without the common prefix and without ids. */
export const DOCUMENTED_ANSWERS: Readonly<Record<string, ObjectShape>> = {
  'continent/search': page(continent),
  'asn/search': page(asn),
  'proxy_user/search': page(proxyUser),
  'residential_ledger/search': page(ledgerRow('residential')),
  'mobile_ledger/search': page(ledgerRow('mobile')),
  'log_summary/search': page(logSummary),
  'service_adjustment/search': page(serviceAdjustment),
  'log/search': page(logRow),
  'customer/retrieve': found(customer),
  'residential/summary': found(summary('residential')),
  'mobile/summary': found(summary('mobile')),
  'proxy/search': page(proxy),
  'service/retrieve': found(service),
  'service/search': page(service),
  'proxy/retrieve': found(proxy),
  'city/retrieve': found(city),
  'subdivision/retrieve': found(subdivision),
  'residential_availability/count': found(object({ integer: 'total_residential_availability_node_count' })),
  'mobile_availability/count': found(object({ integer: 'total_mobile_availability_node_count' })),
  'ip_address/geolocate': found(geolocation),
  'product/search': page(pricedProduct),
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
