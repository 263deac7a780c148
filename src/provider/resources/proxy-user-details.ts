// Reads the optional details of a proxy user. An invalid value is left out and counted.

import { MAX_DATETIME_LENGTH } from '../time.ts';
import { integerOf, withoutInvalid } from '../values.ts';

/** A value is null if the provider did not give it. */
export interface ProxyUserDetails {
  /** As given, in the provider's zone unless it names an offset. It is converted only when shown, because a poll may read 100,000 users. */
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  /** By how many addresses the user may authenticate, and by how many it does. */
  readonly addressLimit: number | null;
  readonly addresses: number | null;
  /** How many proxies and services the user is restricted to. */
  readonly restrictedProxies: number | null;
  readonly restrictedServices: number | null;
}

/** The fields of the item as documented; each may be missing or of another type. */
export interface DetailItem {
  readonly proxy_user_creation_datetime?: unknown;
  readonly proxy_user_last_update_datetime?: unknown;
  readonly proxy_user_ip_address_authentication_limit?: unknown;
  readonly ip_address_authentications?: unknown;
  readonly restricted_proxy_ids?: unknown;
  readonly restricted_service_ids?: unknown;
}

export const detailsOf = (item: DetailItem): ProxyUserDetails => ({
  createdAt: datetimeOf(item.proxy_user_creation_datetime),
  updatedAt: datetimeOf(item.proxy_user_last_update_datetime),
  addressLimit: integerOf(item.proxy_user_ip_address_authentication_limit, 0),
  addresses: lengthOf(item.ip_address_authentications),
  restrictedProxies: lengthOf(item.restricted_proxy_ids),
  restrictedServices: lengthOf(item.restricted_service_ids),
});

/** Checks only the length; the text is parsed when it is shown. */
const datetimeOf = (value: unknown): string | null =>
  typeof value === 'string' && value.length <= MAX_DATETIME_LENGTH ? value : withoutInvalid(value);

const lengthOf = (value: unknown): number | null =>
  Array.isArray(value) ? value.length : withoutInvalid(value);
