// Says which series rest on the fields of answers about orders and places.

import { METERED_TYPES } from '../../../../src/lib/product-types.ts';
import { change, type EndpointRules, rest } from './rules.ts';

const ADJUSTMENTS = 'service_adjustments_total';
const SUMMARIES = 'provider_bought_bytes provider_left_bytes provider_used_bytes';
const RECONCILED = 'reconcile_*';
const OLDER = 'an older summary is compared with the balance';
const CLIENTS = 'user_client_addresses user_unknown_client_addresses';
const USAGE = 'charged_* user_charged_* hostname_*';

export const ORDER_AND_PLACE_RULES: EndpointRules = {
  'checkout/catalog': [
    { item: '', rules: [rest('data', 'catalog_*')] },
    {
      item: 'data.{}',
      rules: [
        rest('product_stock', 'catalog_product_stock'),
        rest('product_is_available', 'catalog_product_available'),
        change('country_id product_type product_protocol', 'catalog_*'),
      ],
    },
  ],
  'checkout/quote': [
    { item: '', rules: [rest('data', 'quote_* credit_balance')] },
    {
      item: 'data',
      rules: [
        rest('is_valid total', 'quote_* credit_balance'),
        rest('before_discount_total', 'quote_list_price'),
        change('discount', 'quote_discount'),
        change('credit_balance', 'credit_balance'),
      ],
    },
  ],
  'customer/retrieve': [
    {
      item: '',
      rules: [rest('data', `customer_* ${SUMMARIES}`), change('data', RECONCILED, OLDER)],
    },
    {
      item: 'data',
      rules: [
        rest('customer_id', `customer_* ${SUMMARIES}`, 'keys of another customer end all runs'),
        change('customer_id', RECONCILED, OLDER),
        change('credit_balance', 'customer_credit'),
        change('residential_bytes_left mobile_bytes_left', 'customer_left_bytes'),
        rest('proxy_count', 'customer_proxies'),
        rest('customer_proxy_user_limit', 'customer_proxy_user_limit'),
        change('customer_kyc_level', 'customer_info'),
        rest(
          'active_residential_service_subscription_is_paused active_mobile_service_is_paused',
          'customer_paused',
        ),
        rest('kyc_is_pending free_trial_is_pending', 'customer_pending'),
      ],
    },
  ],
  ...Object.fromEntries(
    ['residential', 'mobile'].map((type) => [
      `${type}/summary`,
      [
        { item: '', rules: [rest('data', SUMMARIES), change('data', RECONCILED, OLDER)] },
        {
          item: 'data',
          rules: [
            change(`${type}_bytes`, 'provider_bought_bytes'),
            change(`${type}_bytes_left`, `provider_left_bytes ${RECONCILED}`),
            change(`${type}_bytes_used`, 'provider_used_bytes'),
          ],
        },
      ],
    ]),
  ),
  'log_summary/search': [
    { item: '', rules: [rest('data total_count', USAGE)] },
    {
      item: 'data[]',
      rules: [
        rest('log_summary_id log_summary_period', USAGE),
        change('proxy_user_id log_summary_network log_summary_hostname', USAGE),
        change('log_summary_bytes', 'hostname_bytes_total'),
        change('log_summary_requests', 'hostname_requests_total'),
        change(
          'log_summary_charged_bytes',
          'charged_bytes_total charged_withheld_bytes user_charged_bytes_total hostname_charged_bytes_total',
        ),
      ],
    },
  ],
  'service_adjustment/search': [
    { item: '', rules: [rest('data total_count', ADJUSTMENTS)] },
    {
      item: 'data[]',
      rules: [
        rest('service_adjustment_id', ADJUSTMENTS),
        change(
          `service_adjustment_type service_adjustment_status service_adjustment_is_administrator
          service_adjustment_is_automatic service_adjustment_is_customer`,
          ADJUSTMENTS,
        ),
        // Only the time of the next request depends on them.
        rest('service_adjustment_creation_datetime service_adjustment_last_update_datetime', ADJUSTMENTS),
      ],
    },
  ],
  'log/search': [
    {
      item: '',
      rules: [rest('data', `log_* ${CLIENTS}`), change('total_count', `log_* ${CLIENTS}`)],
    },
    {
      item: 'data[]',
      rules: [
        change('log_client_ip_address proxy_user_id log_request_datetime log_id log_status_code', CLIENTS),
      ],
    },
  ],
  'continent/search': [
    { item: '', rules: [rest('data total_count', 'continents')] },
    { item: 'data[]', rules: [rest('continent_id', 'continents'), change('continent_name', 'continents')] },
  ],
  'asn/search': [
    { item: '', rules: [rest('data total_count', 'asn_*')] },
    {
      item: 'data[]',
      rules: [
        rest('asn_id', 'asn_*'),
        change('asn_name', 'asn_*'),
        rest('asn_node_count', 'asn_nodes'),
        rest('asn_ip_address_count', 'asn_ip_addresses'),
      ],
    },
  ],
  'city/retrieve': [
    { item: '', rules: [rest('data', 'city_nodes')] },
    {
      item: 'data',
      rules: [rest('city_id city_node_count', 'city_nodes'), change('city_name', 'city_nodes')],
    },
  ],
  'subdivision/retrieve': [
    { item: '', rules: [rest('data', 'subdivision_nodes')] },
    {
      item: 'data',
      rules: [
        rest('subdivision_id subdivision_node_count', 'subdivision_nodes'),
        change('subdivision_name', 'subdivision_nodes'),
      ],
    },
  ],
  ...Object.fromEntries(
    METERED_TYPES.map((type) => [
      `${type}_availability/count`,
      [
        { item: '', rules: [rest('data', 'available_nodes')] },
        { item: 'data', rules: [rest(`total_${type}_availability_node_count`, 'available_nodes')] },
      ],
    ]),
  ),
};
