// Lists the documented words of fields that no setting takes. Every list is open.

import { PRODUCT_TYPES } from '../../lib/product-types.ts';
import { vocabulary } from '../documented-words.ts';

export const ASN_TYPE_WORDS = vocabulary('type of network', 'business cdn education gov hosting isp');

export const ASN_RIR_WORDS = vocabulary('internet registry', 'arin ripe apnic lacnic afrinic jpnic');

/** A service that was sold outside of the catalog has a type of its own. */
export const SERVICE_TYPE_WORDS = vocabulary('service type', [...PRODUCT_TYPES, 'off_catalog']);

export const SERVICE_STATUS_WORDS = vocabulary(
  'service status',
  `awaiting_fulfillment awaiting_manual_fulfillment awaiting_additional_fulfillment active paused overdue
    canceled complete`,
);

export const ACCESS_TYPE_WORDS = vocabulary('access type', 'all service_restricted proxy_restricted');

export const ERROR_SOURCE_WORDS = vocabulary('error source', 'client proxy target');

export const ADJUSTMENT_TYPE_WORDS = vocabulary(
  'type of adjustment',
  `ingestion fulfillment additional_fulfillment update proxy_replacement extension cancel remove_proxy
    top_up top_up_and_extension`,
);

export const ADJUSTMENT_STATUS_WORDS = vocabulary('status of an adjustment', 'pending complete failed');

export const REPLACEMENT_REASON_WORDS = vocabulary(
  'reason of a replacement',
  'customer_request ip_reputation end_of_deployment outage other',
);

export const TEST_PROTOCOL_WORDS = vocabulary('protocol of a test', 'http socks socks5');
