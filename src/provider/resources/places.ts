// Reads continents (continent/search), autonomous systems (asn/search), cities (city/retrieve) and subdivisions of countries
// (subdivision/retrieve).

import { z } from 'zod';
import type { ProviderClient } from '../client.ts';
import { ProviderError } from '../errors.ts';
import { type Filter, type ListingOptions, type Page, readMatching, readPages } from '../pages.ts';
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
export const readContinents = (
  client: ProviderClient,
  { signal }: Pick<ListingOptions, 'signal'> = {},
): AsyncGenerator<Page<Continent>, void, undefined> =>
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

interface AsnQuery {
  readonly filter?: Filter | undefined;
  readonly signal?: AbortSignal | undefined;
}

const ASN_ENDPOINT = 'asn/search';

/** Reads the autonomous systems that match the filter; there are tens of thousands in all. Throws ProviderError. */
export const readAsns = (
  client: ProviderClient,
  { filter, signal }: AsnQuery,
): AsyncGenerator<Page<Asn>, void, undefined> =>
  readMatching(client, ASN_ENDPOINT, { filter, idField: 'asn_id', decode: itemDecoder(asn), signal });

/**
 * Reads one autonomous system in one request. Throws ProviderError: not_found if the provider does not have it,
 * bad_response if the provider answers with other ones, perhaps because it does not filter by `asn_id`.
 */
export const readAsn = async (
  client: ProviderClient,
  id: number,
  { signal }: Pick<AsnQuery, 'signal'> = {},
): Promise<Asn & Validity> => {
  for await (const { items, skipped, summary } of readAsns(client, { filter: { asn_id: id }, signal })) {
    const [found] = items;
    if (found) return { ...found, hasInvalidValue: skipped > 0 };
    const isEmpty = summary?.distinctIds === 0 && skipped === 0;
    if (!isEmpty)
      throw new ProviderError(
        'bad_response',
        ASN_ENDPOINT,
        `the answer to a request for ASN ${id} has another ASN`,
      );
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
const cityAnswer = z.object({ data: withInvalidity(city) });

const CITY_ENDPOINT = 'city/retrieve';

/** Reads one city. Throws ProviderError: not_found for an unknown id, bad_response for an answer about another one. */
export const readCity = async (
  client: ProviderClient,
  id: number,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<z.output<typeof city> & Validity> => {
  const { data } = await client.get(CITY_ENDPOINT, { path: id, schema: cityAnswer, signal });
  const { value, hasInvalidValue } = data;
  if (value.id !== id)
    throw new ProviderError(
      'bad_response',
      CITY_ENDPOINT,
      `the answer to a request for city ${id} has another city`,
    );
  return { ...value, hasInvalidValue };
};

/** A value is null if the provider did not give it. */
const subdivision = fields({
  /** `<country>-<code>`, such as `fr-idf`. */
  id: ['subdivision_id', z.string().min(1)],
  name: ['subdivision_name', text],
  alias: ['subdivision_alias', text],
  nodes: ['subdivision_node_count', nullable(count)],
  countryId: ['country_id', text],
});
const subdivisionAnswer = z.object({ data: withInvalidity(subdivision) });

const SUBDIVISION_ENDPOINT = 'subdivision/retrieve';

/** Reads one subdivision. Throws ProviderError: not_found for an unknown id, bad_response for an answer about another one. */
export const readSubdivision = async (
  client: ProviderClient,
  id: string,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<z.output<typeof subdivision> & Validity> => {
  const { data } = await client.get(SUBDIVISION_ENDPOINT, { path: id, schema: subdivisionAnswer, signal });
  const { value, hasInvalidValue } = data;
  if (value.id.toLowerCase() !== id.toLowerCase())
    throw new ProviderError(
      'bad_response',
      SUBDIVISION_ENDPOINT,
      `the answer to a request for subdivision ${id} has another subdivision`,
    );
  return { ...value, hasInvalidValue };
};
