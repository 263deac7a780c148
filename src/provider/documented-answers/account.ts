// The documented fields of what an account has: services, proxies, proxy users and the rows of the ledgers.

import type { MeteredType } from '../../lib/product-types.ts';
import {
  LEDGER_REASON_WORDS,
  PRODUCT_TYPE_WORDS,
  PROTOCOL_WORDS,
  PROXY_STATUS_WORDS,
} from '../documented-words.ts';
import { list, object, optional, orNull, value, withUnnamedLists, word } from './shapes.ts';
import {
  ACCESS_TYPE_WORDS,
  ADJUSTMENT_STATUS_WORDS,
  ADJUSTMENT_TYPE_WORDS,
  REPLACEMENT_REASON_WORDS,
  SERVICE_STATUS_WORDS,
  SERVICE_TYPE_WORDS,
} from './words.ts';

/** The documentation also has a list of line items and, on request, one of proxies. It names neither field. */
export const service = withUnnamedLists(
  object(
    {
      text: 'service_id service_name service_image service_subscription_id',
      'text or null': 'payment_method_id service_promotional_code open_invoice_id',
      integer: 'service_quantity',
      number: 'service_total',
      cycle: 'service_cycle',
      country: 'country_id',
      datetime: `service_creation_datetime service_last_update_datetime service_expiry_datetime
        service_earliest_cancellation_datetime`,
      'datetime or null': 'service_dispatch_datetime',
      boolean: `service_is_automatic_collection service_is_pending_cancellation service_is_reconfigurable
        service_subscription_is_paused`,
      metadata: 'service_metadata',
    },
    {
      service_type: word(SERVICE_TYPE_WORDS),
      service_protocol: word(PROTOCOL_WORDS),
      service_status: word(SERVICE_STATUS_WORDS),
      subscription_schedule_id: optional(orNull(value('text'))),
    },
  ),
);

export const proxy = object(
  {
    uuid: 'proxy_id service_line_item_id',
    text: `proxy_ip_address ip_address_id_v4 subnet_id default_proxy_user_username
      default_proxy_user_password service_id asn_name city_name city_timezone country_name subdivision_id
      subdivision_name`,
    'text or null': 'proxy_ip_address_v6 ip_address_id_v6 subnet_id_v6 city_example_postcode',
    integer: 'proxy_http_port proxy_socks5_port customer_id asn_id city_id',
    number: 'city_latitude city_longitude',
    country: 'country_id',
    datetime: 'proxy_last_update_datetime',
  },
  {
    proxy_type: word(PRODUCT_TYPE_WORDS),
    proxy_protocol: word(PROTOCOL_WORDS),
    proxy_status: word(PROXY_STATUS_WORDS),
    proxy_user_ids: list(value('text')),
  },
);

/** A limit of null means that there is none, so nothing is left of it. */
export const proxyUser = object(
  {
    text: 'proxy_user_id proxy_user_password',
    integer: 'customer_id proxy_user_residential_bytes_used proxy_user_mobile_bytes_used',
    'integer or null': `proxy_user_residential_bytes_limit residential_bytes_left
      proxy_user_mobile_bytes_limit mobile_bytes_left proxy_user_ip_address_authentication_limit`,
    boolean: `proxy_user_enforce_https proxy_user_is_default proxy_user_is_deleted
      proxy_user_is_strict_security`,
    datetime: 'proxy_user_creation_datetime proxy_user_last_update_datetime',
    metadata: 'proxy_user_metadata',
  },
  {
    proxy_user_access_type: word(ACCESS_TYPE_WORDS),
    ip_address_authentications: list(value('text')),
    restricted_proxy_ids: list(value('uuid')),
    restricted_service_ids: list(value('text')),
  },
);

/** The answer also has personal data, which is not read. */
export const customer = object({
  integer: `customer_id residential_bytes_left mobile_bytes_left proxy_count`,
  number: 'credit_balance',
  'integer or null': 'customer_proxy_user_limit',
  'text or null': 'customer_kyc_level',
  'boolean or null': `active_residential_service_subscription_is_paused active_mobile_service_is_paused
    kyc_is_pending free_trial_is_pending`,
});

export const summary = (type: MeteredType) =>
  object({ integer: `${type}_bytes ${type}_bytes_left ${type}_bytes_used ${type}_requests` });

/** A day's use of a host name by a proxy user. */
export const logSummary = object({
  uuid: 'log_summary_id',
  text: 'proxy_user_id log_summary_network',
  'text or null': 'log_summary_hostname log_summary_domain',
  integer: `log_summary_requests log_summary_bytes log_summary_charged_requests log_summary_charged_bytes
    log_summary_smartpath_enabled_requests log_summary_smartpath_enabled_bytes
    log_summary_smartpath_routed_requests log_summary_smartpath_routed_bytes`,
  datetime: 'log_summary_period log_summary_creation_datetime log_summary_last_update_datetime',
});

export const logRow = object({
  uuid: 'log_id',
  datetime: 'log_request_datetime',
  text: 'log_network proxy_user_id log_hostname log_protocol log_transport',
  integer: 'log_status_code log_total_bytes',
  'text or null': `service_id proxy_id log_protocol_version log_method log_client_ip_address log_egress_ip_address
    log_local_ip_address log_session_id country_id city_alias`,
  'integer or null': `log_concurrency log_total_elapsed_ms log_handshake_elapsed_ms log_tunnel_elapsed_ms log_local_port
    asn_id`,
  'boolean or null': 'log_is_tls_enabled log_smartpath_enabled log_smartpath_routed',
});

/** A row of usage belongs to no service. */
export const ledgerRow = (type: MeteredType) =>
  object(
    {
      uuid: `${type}_ledger_id`,
      'text or null': 'service_id',
      'integer or null': 'service_adjustment_id',
      integer: `customer_id ${type}_ledger_requests ${type}_ledger_bytes`,
      date: `${type}_ledger_period_date`,
      datetime: `${type}_ledger_creation_datetime ${type}_ledger_last_update_datetime`,
    },
    { [`${type}_ledger_reason`]: word(LEDGER_REASON_WORDS) },
  );

/** Some values of the service. What else there is is not documented. */
const adjustedService = optional(
  orNull(
    object(
      {},
      {
        service_quantity: optional(value('integer')),
        service_total: optional(value('number')),
        service_expiry_datetime: optional(value('datetime')),
        service_metadata: optional(value('metadata')),
      },
    ),
  ),
);

/** The addresses are those of proxies. The form of what was evaluated is not documented. */
export const serviceAdjustment = object(
  {
    integer: 'service_adjustment_id',
    text: 'service_id',
    'text or null': 'invoice_id',
    boolean: `service_adjustment_is_administrator service_adjustment_is_automatic
      service_adjustment_is_customer`,
    datetime: 'service_adjustment_creation_datetime service_adjustment_last_update_datetime',
    'metadata or null': 'service_adjustment_eval',
  },
  {
    service_adjustment_type: word(ADJUSTMENT_TYPE_WORDS),
    service_adjustment_status: word(ADJUSTMENT_STATUS_WORDS),
    service_adjustment_pre: adjustedService,
    service_adjustment_post: adjustedService,
    proxy_replacements: optional(
      list(
        object(
          {
            integer: 'proxy_replacement_id',
            'text or null': `proxy_replacement_ip_address_ipv4 proxy_replacement_ip_address_ipv6
              proxy_replacement_new_ip_address_ipv4 proxy_replacement_new_ip_address_ipv6`,
            'integer or null': `proxy_replacement_http_port proxy_replacement_socks5_port
              proxy_replacement_new_http_port proxy_replacement_new_socks5_port`,
            datetime: 'proxy_replacement_creation_datetime',
          },
          { proxy_replacement_reason: word(REPLACEMENT_REASON_WORDS) },
        ),
      ),
    ),
  },
);
