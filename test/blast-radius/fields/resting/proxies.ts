// Says which series rest on the fields of answers about proxies and services.

import { change, type EndpointRules, rest } from './rules.ts';

const SERVICE_ITEM = [
  rest('service_quantity', 'service_quantity service_proxies_missing'),
  rest('service_total', 'service_price'),
  rest('service_is_automatic_collection', 'service_automatic_collection'),
  rest('service_is_pending_cancellation', 'service_pending_cancellation'),
  rest('service_subscription_is_paused', 'service_paused'),
  rest('service_expiry_datetime', 'service_expiry_timestamp_seconds'),
  rest('service_earliest_cancellation_datetime', 'service_earliest_cancellation_timestamp_seconds'),
  change('open_invoice_id', 'service_open_invoice'),
  change('payment_method_id', 'service_payment_method'),
  change('service_name country_id service_cycle service_protocol', 'service_info'),
  change('service_status', 'service_info service_standing'),
  change('service_type', 'service_info'),
  change(
    'service_type',
    'service_proxies_missing',
    'a service of an unknown type that has proxies is taken to be sold by the proxy',
  ),
  rest('line_items', 'service_line_item_quantity'),
  rest('proxies', 'service_proxies service_proxies_missing'),
];

const PLACED = 'proxies_geolocated proxies_placed_elsewhere';

export const PROXY_RULES: EndpointRules = {
  'proxy/search': [
    { item: '', rules: [rest('data total_count', `proxies proxy_info inventory_* ${PLACED}`)] },
    {
      item: 'data[]',
      rules: [
        rest('proxy_id customer_id', `proxies proxy_info inventory_* ${PLACED}`),
        change('proxy_ip_address', `proxy_info inventory_changes_total ${PLACED}`),
        change('subnet_id service_id asn_id asn_name city_name', 'proxy_info'),
        change('country_id proxy_type proxy_protocol proxy_status', `proxy_info proxies ${PLACED}`),
      ],
    },
  ],
  'ip_address/geolocate': [
    { item: '', rules: [rest('data', PLACED)] },
    { item: 'data', rules: [rest('external', PLACED)] },
    { item: 'data.external', rules: [rest('country_id', PLACED)] },
  ],
  'service/retrieve': [
    { item: '', rules: [rest('data', 'service_*')] },
    { item: 'data', rules: [rest('service_id', 'service_*'), ...SERVICE_ITEM] },
    {
      item: 'data.line_items[]',
      rules: [
        change('service_line_item_id country_id', 'service_line_item_quantity'),
        rest('quantity', 'service_line_item_quantity'),
      ],
    },
    {
      item: 'data.proxies[]',
      rules: [
        rest('proxy_id', 'service_proxies service_proxies_missing'),
        rest('customer_id', 'service_*', 'keys of another customer end the run'),
        change('proxy_status', 'service_proxies'),
      ],
    },
  ],
};
