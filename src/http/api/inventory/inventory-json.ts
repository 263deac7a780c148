// Defines the JSON of proxies in the inventory.

import { z } from 'zod';
import { type InventoryProxy, MAX_USER_IDS } from '../../../store/inventory-store.ts';
import { rfc3339 } from '../../rfc3339.ts';
import { account, amount, count, text, time } from '../fields.ts';

export const proxy = z
  .strictObject({
    account,
    proxy_id: text,
    product_type: text.nullable(),
    protocol: text.nullable(),
    status: text.nullable(),
    ip_address: text.nullable().describe('The IPv4 address. Without an IPv4 address, the IPv6 address'),
    ip_address_v6: text.nullable(),
    ip_address_id_v4: text.nullable(),
    ip_address_id_v6: text.nullable(),
    http_port: count.nullable(),
    socks5_port: count.nullable(),
    subnet_id: text.nullable(),
    subnet_id_v6: text.nullable(),
    asn_id: count.nullable(),
    asn_name: text.nullable(),
    city_id: count.nullable(),
    city_name: text.nullable(),
    latitude: amount
      .nullable()
      .describe(
        'Latitude of the city. `longitude`, `example_postcode` and `time_zone` are also values of the city',
      ),
    longitude: amount.nullable(),
    example_postcode: text.nullable(),
    time_zone: text.nullable(),
    subdivision_id: text.nullable(),
    subdivision_name: text.nullable(),
    country_id: text.nullable(),
    country_name: text.nullable(),
    service_id: text.nullable(),
    service_line_item_id: text.nullable(),
    proxy_users: count.nullable().describe('Number of proxy users with access to the proxy'),
    proxy_user_ids: z.array(text).nullable().describe(`Ids of the first ${MAX_USER_IDS} of these users`),
    updated_at: time.nullable().describe('Time by the provider’s clock'),
  })
  .meta({ id: 'InventoryProxy' });

export const proxyJson = (account: string, proxy: InventoryProxy) => ({
  account,
  proxy_id: proxy.id,
  product_type: proxy.productType,
  protocol: proxy.protocol,
  status: proxy.status,
  ip_address: proxy.address,
  ip_address_v6: proxy.addressV6,
  ip_address_id_v4: proxy.addressIdV4,
  ip_address_id_v6: proxy.addressIdV6,
  http_port: proxy.httpPort,
  socks5_port: proxy.socks5Port,
  subnet_id: proxy.subnetId,
  subnet_id_v6: proxy.subnetIdV6,
  asn_id: proxy.asnId,
  asn_name: proxy.asnName,
  city_id: proxy.cityId,
  city_name: proxy.cityName,
  latitude: proxy.latitude,
  longitude: proxy.longitude,
  example_postcode: proxy.examplePostcode,
  time_zone: proxy.timeZone,
  subdivision_id: proxy.subdivisionId,
  subdivision_name: proxy.subdivisionName,
  country_id: proxy.countryId,
  country_name: proxy.countryName,
  service_id: proxy.serviceId,
  service_line_item_id: proxy.lineItemId,
  proxy_users: proxy.users,
  proxy_user_ids: proxy.userIds && [...proxy.userIds],
  updated_at: rfc3339(proxy.updatedAt),
});
