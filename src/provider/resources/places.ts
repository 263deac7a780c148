// Reads continents (continent/search), autonomous systems (asn/search), cities (city/retrieve), subdivisions of countries
// (subdivision/retrieve), and the available nodes of countries (residential_availability/count, mobile_availability/count).

import { z } from 'zod';
import type { MeteredType } from '../../lib/product-types.ts';
import type { ProviderClient } from '../client.ts';
import { otherAnswer, ProviderError } from '../errors.ts';
import { type FilterOptions, type Pages, readMatching, readPages } from '../pages.ts';
import type { SignalOption } from '../request.ts';
import {
  count,
  degrees,
  fields,
  itemDecoder,
  nullable,
  text,
  type Validity,
  withInvalidity,
} from '../schema.ts';

/** A value is null if the provider did not give it. */
const continent = fields({
  /** Two letters. */
  id: ['continent_id', z.string().min(1)],
  name: ['continent_name', text],
  alias: ['continent_alias', text],
});
type Continent = z.output<typeof continent>;

/** Reads all continents. Throws ProviderError. */
export const readContinents = (client: ProviderClient, { signal }: SignalOption = {}): Pages<Continent> =>
  readPages(client, 'continent/search', { idField: 'continent_id', decode: itemDecoder(continent), signal });

/** A value is null if the provider did not give it. */
const asn = fields({
  id: ['asn_id', z.int()],
  name: ['asn_name', text],
  /** An open set: `hosting`, `isp`, `business` and more. */
  type: ['asn_type', text],
  /** The regional internet registry, an open set: `arin`, `ripe`, `apnic` and more. */
  rir: ['asn_rir', text],
  ipAddresses: ['asn_ip_address_count', nullable(count)],
  /** Nodes that are online now. */
  nodes: ['asn_node_count', nullable(count)],
  /** The country in which it is registered. */
  countryId: ['country_id', text],
});
type Asn = z.output<typeof asn>;

const ASN_ENDPOINT = 'asn/search';

/** Reads the autonomous systems that match the filter; there are tens of thousands in all. Throws ProviderError. */
export const readAsns = (client: ProviderClient, { filter, signal }: FilterOptions): Pages<Asn> =>
  readMatching(client, ASN_ENDPOINT, { filter, idField: 'asn_id', decode: itemDecoder(asn), signal });

/**
 * Reads one autonomous system in one request. Throws ProviderError: not_found if the provider does not have it,
 * bad_response if the provider answers with other ones, perhaps because it does not filter by `asn_id`.
 */
export const readAsn = async (
  client: ProviderClient,
  id: number,
  { signal }: SignalOption = {},
): Promise<Asn & Validity> => {
  for await (const { items, skipped, summary } of readAsns(client, { filter: { asn_id: id }, signal })) {
    const [found] = items;
    if (found) return { ...found, hasInvalidValue: skipped > 0 };
    const isEmpty = summary?.distinctIds === 0 && skipped === 0;
    if (!isEmpty) throw otherAnswer(ASN_ENDPOINT, 'ASN', id);
  }
  throw new ProviderError('not_found', ASN_ENDPOINT, `there is no ASN ${id}`);
};

/** A value is null if the provider did not give it. */
const city = fields({
  id: ['city_id', z.int()],
  name: ['city_name', text],
  alias: ['city_alias', text],
  examplePostcode: ['city_example_postcode', text],
  isPopulous: ['city_is_populous', nullable(z.boolean())],
  /** In degrees; north and east are positive. */
  latitude: ['city_latitude', nullable(degrees)],
  longitude: ['city_longitude', nullable(degrees)],
  nodes: ['city_node_count', nullable(count)],
  population: ['city_population', nullable(count)],
  /** Name of the time zone, such as `Europe/Paris`. */
  timeZone: ['city_timezone', text],
  /** `<country>-<code>` */
  subdivisionId: ['subdivision_id', text],
});

/** A value is null if the provider did not give it. */
const subdivision = fields({
  /** `<country>-<code>`, such as `fr-idf`. */
  id: ['subdivision_id', z.string().min(1)],
  name: ['subdivision_name', text],
  alias: ['subdivision_alias', text],
  nodes: ['subdivision_node_count', nullable(count)],
  countryId: ['country_id', text],
});

/**
 * Returns a function that reads one place. It throws ProviderError: not_found for an unknown id, bad_response for an answer
 * about another one.
 */
const placeReader = <Id extends string | number, P extends { readonly id: Id }>(
  what: 'city' | 'subdivision',
  place: z.ZodType<P>,
) => {
  const [endpoint, schema] = [`${what}/retrieve`, z.object({ data: withInvalidity(place) })];
  return async (client: ProviderClient, id: Id, { signal }: SignalOption = {}): Promise<P & Validity> => {
    const { value, hasInvalidValue } = (await client.get(endpoint, { path: id, schema, signal })).data;
    if (String(value.id).toLowerCase() !== String(id).toLowerCase()) throw otherAnswer(endpoint, what, id);
    return { ...value, hasInvalidValue };
  };
};

export const readCity = placeReader('city', city);
export const readSubdivision = placeReader('subdivision', subdivision);

/**
 * Counts the nodes of the type that are available in the country. The answer names no country, so nothing shows if the
 * provider ignores the filter and counts all countries. Throws ProviderError: bad_response for an answer without the number.
 */
export const readAvailability = async (
  client: ProviderClient,
  type: MeteredType,
  countryId: string,
  { signal }: SignalOption = {},
) => {
  const schema = z.object({ data: fields({ nodes: [`total_${type}_availability_node_count`, count] }) });
  const options = { schema, signal, query: { country_id: countryId } };
  const { data } = await client.get(`${type}_availability/count`, options);
  return { id: countryId, name: null, countryId, nodes: data.nodes, hasInvalidValue: false };
};
