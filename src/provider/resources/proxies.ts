// Reads proxies (proxy/search, proxy/retrieve), and decodes the items of proxies that services carry.

import { z } from 'zod';
import { Secret } from '../../lib/secret.ts';
import type { ProviderClient } from '../client.ts';
import { type FilterOptions, type Pages, readMatching } from '../pages.ts';
import type { SignalOption } from '../request.ts';
import { count, itemDecoder, nullIfInvalid, port } from '../schema.ts';

/** A value is null if the provider did not give it. */
export type AccountProxy = Readonly<z.output<typeof proxy>>;

/** Reads the proxies that match the filter, of every status unless it names one. Throws ProviderError. */
export const readProxies = (client: ProviderClient, { filter, signal }: FilterOptions): Pages<AccountProxy> =>
  readMatching(client, 'proxy/search', { filter, idField: 'proxy_id', decode: decodeProxy, signal });

const ENDPOINT = 'proxy/retrieve';

/** Reads one proxy. Throws ProviderError: not_found if it is not in use on the account's services. */
export const readProxy = async (
  client: ProviderClient,
  id: string,
  { signal }: SignalOption = {},
): Promise<AccountProxy> => {
  const schema = z.object({ data: proxy });
  return (await client.get(ENDPOINT, { path: id, schema, signal })).data;
};

// Missing values are replaced once at the end, because that is faster than a transform for each field.
const proxy = z
  .object({
    proxy_id: z.string().min(1),
    proxy_type: nullIfInvalid(z.string()),
    proxy_protocol: nullIfInvalid(z.string()),
    proxy_status: nullIfInvalid(z.string()),
    proxy_ip_address: nullIfInvalid(z.string()),
    proxy_ip_address_v6: nullIfInvalid(z.string()),
    proxy_http_port: nullIfInvalid(port),
    proxy_socks5_port: nullIfInvalid(port),
    default_proxy_user_username: nullIfInvalid(z.string()),
    default_proxy_user_password: nullIfInvalid(z.string()),
    customer_id: nullIfInvalid(count),
    service_id: nullIfInvalid(z.string()),
    service_line_item_id: nullIfInvalid(z.string()),
    asn_id: nullIfInvalid(count),
    asn_name: nullIfInvalid(z.string()),
    city_id: nullIfInvalid(count),
    city_name: nullIfInvalid(z.string()),
    subdivision_id: nullIfInvalid(z.string()),
    country_id: nullIfInvalid(z.string()),
    subnet_id: nullIfInvalid(z.string()),
    subnet_id_v6: nullIfInvalid(z.string()),
  })
  .transform((item) => ({
    /** Has the shape of a UUID. It stays the same when the address is replaced. */
    id: item.proxy_id,
    /** An open set: `isp`, `datacenter` and more. */
    type: item.proxy_type ?? null,
    /** An open set: `ipv4`, `ipv6`, `dual`. */
    protocol: item.proxy_protocol ?? null,
    /** An open set: `in_use`, `available`, `reserved`, `waiting`, `pending_deletion` and more. */
    status: item.proxy_status ?? null,
    /** The IPv4 address, or the IPv6 address if there is none. */
    address: item.proxy_ip_address || item.proxy_ip_address_v6 || null,
    httpPort: item.proxy_http_port ?? null,
    socks5Port: item.proxy_socks5_port ?? null,
    /** The name of the proxy's default user. */
    username: item.default_proxy_user_username ?? null,
    password: item.default_proxy_user_password ? new Secret(item.default_proxy_user_password) : null,
    customerId: item.customer_id ?? null,
    serviceId: item.service_id ?? null,
    /** The line item of its service; a service has one for each location. */
    lineItemId: item.service_line_item_id ?? null,
    asnId: item.asn_id ?? null,
    asnName: item.asn_name ?? null,
    cityId: item.city_id ?? null,
    cityName: item.city_name ?? null,
    /** `<country>-<code>` */
    subdivisionId: item.subdivision_id ?? null,
    /** Two lowercase letters. */
    countryId: item.country_id ?? null,
    /** CIDR of the IPv4 address, or of the IPv6 address if there is none. */
    subnetId: item.subnet_id || item.subnet_id_v6 || null,
  }));

/** Returns null for an item that does not decode. */
export const decodeProxy = itemDecoder(proxy);
