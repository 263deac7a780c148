// Reads the account's proxies with all their fields (proxy/search).

import { z } from 'zod';
import type { ProviderClient } from '../client.ts';
import { type ListingOptions, type Page, readPages } from '../pages.ts';
import { degrees as anyDegrees, datetime, nullable, text } from '../schema.ts';
import { type AccountProxy, decodeProxy } from './proxies.ts';

export type ListedProxy = AccountProxy & z.output<ReturnType<typeof detailsIn>>;

/** Reads all proxies of the account. Throws ProviderError. */
export const readInventory = (
  client: ProviderClient,
  { timeZone, signal, progress }: ListingOptions,
): AsyncGenerator<Page<ListedProxy>, void, undefined> => {
  const details = detailsIn(timeZone);
  const decode = (item: unknown): ListedProxy | null => {
    const proxy = decodeProxy(item);
    return proxy && { ...proxy, ...details.parse(item) };
  };
  return readPages(client, 'proxy/search', { idField: 'proxy_id', decode, signal, progress });
};

const word = text.catch(null);
const degrees = nullable(anyDegrees).catch(null);

/** Details that are only shown. Nothing depends on them, so an invalid value is left out. Null if there is none. */
const detailsIn = (timeZone: string) =>
  z
    .object({
      proxy_ip_address_v6: word,
      ip_address_id_v4: word,
      ip_address_id_v6: word,
      subnet_id_v6: word,
      proxy_last_update_datetime: datetime(timeZone).catch(null),
      proxy_user_ids: nullable(z.array(z.string())).catch(null),
      city_latitude: degrees,
      city_longitude: degrees,
      city_example_postcode: word,
      city_timezone: word,
      country_name: word,
      subdivision_name: word,
    })
    .transform((item) => ({
      /** As given, also if it is the only address. */
      addressV6: item.proxy_ip_address_v6,
      addressIdV4: item.ip_address_id_v4,
      addressIdV6: item.ip_address_id_v6,
      /** CIDR */
      subnetIdV6: item.subnet_id_v6,
      /** When the proxy last changed, by the provider's clock (ms). */
      updatedAt: item.proxy_last_update_datetime,
      userIds: item.proxy_user_ids,
      /** In degrees; north and east are positive. */
      latitude: item.city_latitude,
      longitude: item.city_longitude,
      examplePostcode: item.city_example_postcode,
      /** Name of the time zone, such as `Europe/Paris`. */
      timeZone: item.city_timezone,
      countryName: item.country_name,
      subdivisionName: item.subdivision_name,
    }));
