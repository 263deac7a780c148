// Proxies: proxy/search, and the item that services carry too.

import { z } from 'zod';
import { Secret } from '../lib/secret.ts';
import type { ProviderClient } from './client.ts';
import { type Page, readPages } from './pages.ts';
import type { Query } from './request.ts';
import { itemDecoder, nullable } from './schema.ts';

/** Null where the provider gave no value. */
export interface AccountProxy {
  readonly id: string;
  /** An open set: `isp`, `datacenter` and more. */
  readonly type: string | null;
  readonly protocol: string | null;
  readonly status: string | null;
  /** IPv4 address, else the IPv6 one. */
  readonly address: string | null;
  readonly httpPort: number | null;
  readonly socks5Port: number | null;
  /** Of the proxy's default user. */
  readonly username: string | null;
  readonly password: Secret | null;
  readonly customerId: number | null;
  readonly serviceId: string | null;
  readonly asnId: number | null;
  readonly asnName: string | null;
  readonly cityName: string | null;
  readonly countryId: string | null;
  readonly subnetId: string | null;
}

export interface ProxyQuery {
  /** Provider's fields and the values wanted; whether the provider filters by them is not documented. */
  readonly filter?: Query | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The proxies that match the filter, which is compared here too. Throws ProviderError. */
export async function* readProxies(
  client: ProviderClient,
  { filter = {}, signal }: ProxyQuery,
): AsyncGenerator<Page<AccountProxy>, void, undefined> {
  const decode = (item: unknown) => {
    const proxy = decodeProxy(item);
    return proxy && { proxy, isWanted: matches(item, filter) };
  };
  const pages = readPages(client, 'proxy/search', { query: filter, idField: 'proxy_id', decode, signal });
  for await (const page of pages) {
    yield { ...page, items: page.items.filter(({ isWanted }) => isWanted).map(({ proxy }) => proxy) };
  }
}

const proxy: z.ZodType<AccountProxy> = z
  .object({
    proxy_id: z.string().min(1),
    proxy_type: nullable(z.string()),
    proxy_protocol: nullable(z.string()),
    proxy_status: nullable(z.string()),
    proxy_ip_address: nullable(z.string()),
    proxy_ip_address_v6: nullable(z.string()),
    proxy_http_port: nullable(z.int()),
    proxy_socks5_port: nullable(z.int()),
    default_proxy_user_username: nullable(z.string()),
    default_proxy_user_password: nullable(z.string()),
    customer_id: nullable(z.int()),
    service_id: nullable(z.string()),
    asn_id: nullable(z.int()),
    asn_name: nullable(z.string()),
    city_name: nullable(z.string()),
    country_id: nullable(z.string()),
    subnet_id: nullable(z.string()),
    subnet_id_v6: nullable(z.string()),
  })
  .transform((item) => ({
    id: item.proxy_id,
    type: item.proxy_type,
    protocol: item.proxy_protocol,
    status: item.proxy_status,
    address: item.proxy_ip_address || item.proxy_ip_address_v6,
    httpPort: item.proxy_http_port,
    socks5Port: item.proxy_socks5_port,
    username: item.default_proxy_user_username,
    password: item.default_proxy_user_password ? new Secret(item.default_proxy_user_password) : null,
    customerId: item.customer_id,
    serviceId: item.service_id,
    asnId: item.asn_id,
    asnName: item.asn_name,
    cityName: item.city_name,
    countryId: item.country_id,
    subnetId: item.subnet_id || item.subnet_id_v6,
  }));

/** Null for an item that does not decode. */
export const decodeProxy = itemDecoder(proxy);

/** A field that the item does not carry cannot be compared here, and is left to the provider. */
const matches = (item: unknown, filter: Query): boolean =>
  Object.entries(filter).every(([field, wanted]) => {
    const value = (item as Partial<Record<string, unknown>>)[field];
    return wanted === undefined || value === undefined || value === null || String(value) === String(wanted);
  });
