// Reads the account's proxies with all their fields (proxy/search), and where others place them (ip_address/geolocate).

import { z } from 'zod';
import type { ProviderClient } from '../client.ts';
import { type ListingOptions, type Pages, readPages } from '../pages.ts';
import { degrees as anyDegrees, datetime, fields, nullable, text, withInvalidity } from '../schema.ts';
import { type AccountProxy, decodeProxy } from './proxies.ts';

export type ListedProxy = AccountProxy & z.output<ReturnType<typeof detailsIn>>;

/** Reads all proxies of the account. Throws ProviderError. */
export const readInventory = (
  client: ProviderClient,
  { timeZone, signal, progress }: ListingOptions,
): Pages<ListedProxy> => {
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
  fields({
    /** As given, also if it is the only address. */
    addressV6: ['proxy_ip_address_v6', word],
    addressIdV4: ['ip_address_id_v4', word],
    addressIdV6: ['ip_address_id_v6', word],
    /** CIDR */
    subnetIdV6: ['subnet_id_v6', word],
    /** When the proxy last changed, by the provider's clock (ms). */
    updatedAt: ['proxy_last_update_datetime', datetime(timeZone).catch(null)],
    userIds: ['proxy_user_ids', nullable(z.array(z.string())).catch(null)],
    /** In degrees; north and east are positive. */
    latitude: ['city_latitude', degrees],
    longitude: ['city_longitude', degrees],
    examplePostcode: ['city_example_postcode', word],
    /** Name of the time zone, such as `Europe/Paris`. */
    timeZone: ['city_timezone', word],
    countryName: ['country_name', word],
    subdivisionName: ['subdivision_name', word],
  });

const country = nullable(z.string().regex(/^[a-z]{2}$/i));
const place = z.object({ external: nullable(fields({ country: ['country_id', country] })) });
const geolocation = z.object({ data: withInvalidity(place) });

/** Returns the country in which others place the address, as two lowercase letters. Sends one request. Throws ProviderError. */
export const readGeolocation = async (client: ProviderClient, address: string, signal: AbortSignal) => {
  const options = { path: address, schema: geolocation, signal, isOptional: true };
  const { value, hasInvalidValue } = (await client.get('ip_address/geolocate', options)).data;
  return { country: value.external?.country?.toLowerCase() ?? null, hasInvalidValue };
};
