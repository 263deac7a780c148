// Defines the countries, subdivisions, cities and networks of proxies, some with unknown details.

import { draw, hashText, mix } from '../random.ts';

export interface Place {
  readonly country_id: string;
  readonly country_name: string;
  readonly subdivision_id: string;
  readonly subdivision_name: string;
  readonly subdivision_alias: string | null;
  readonly city_id: number;
  readonly city_name: string;
  readonly city_alias: string | null;
  readonly city_example_postcode: string | null;
  readonly city_latitude: number;
  readonly city_longitude: number;
  readonly city_timezone: string;
  readonly city_population: number | null;
}

export interface Network {
  readonly asn_id: number;
  readonly asn_name: string;
}

const place = (
  country: Pick<Place, 'country_id' | 'country_name'>,
  subdivision: Pick<Place, 'subdivision_id' | 'subdivision_name' | 'subdivision_alias'>,
  city: Omit<Place, keyof typeof country | keyof typeof subdivision>,
): Place => ({ ...country, ...subdivision, ...city });

export const PLACES = [
  place(
    { country_id: 'gb', country_name: 'United Kingdom' },
    { subdivision_id: 'gb-eng', subdivision_name: 'England', subdivision_alias: 'england' },
    {
      ...{ city_id: 200, city_name: 'London', city_alias: 'london', city_population: 8_961_989 },
      ...{ city_example_postcode: 'EC1A', city_timezone: 'Europe/London' },
      ...{ city_latitude: 51.5072, city_longitude: -0.1276 },
    },
  ),
  place(
    { country_id: 'de', country_name: 'Germany' },
    { subdivision_id: 'de-he', subdivision_name: 'Hesse', subdivision_alias: null },
    {
      ...{ city_id: 201, city_name: 'Frankfurt', city_alias: 'frankfurt', city_population: 650_000 },
      ...{ city_example_postcode: '60311', city_timezone: 'Europe/Berlin' },
      ...{ city_latitude: 50.1109, city_longitude: 8.6821 },
    },
  ),
  place(
    { country_id: 'fr', country_name: 'France' },
    { subdivision_id: 'fr-idf', subdivision_name: 'Île-de-France', subdivision_alias: 'ile_de_france' },
    {
      ...{ city_id: 202, city_name: 'Paris', city_alias: null, city_population: null },
      ...{ city_example_postcode: '75001', city_timezone: 'Europe/Paris' },
      ...{ city_latitude: 48.8566, city_longitude: 2.3522 },
    },
  ),
  place(
    { country_id: 'us', country_name: 'United States' },
    { subdivision_id: 'us-ny', subdivision_name: 'New York', subdivision_alias: 'new_york' },
    {
      ...{ city_id: 203, city_name: 'New York', city_alias: 'new_york', city_population: 8_804_190 },
      ...{ city_example_postcode: null, city_timezone: 'America/New_York' },
      ...{ city_latitude: 40.7128, city_longitude: -74.006 },
    },
  ),
] as const;

export const CITY_IDS = PLACES.map(({ city_id }) => city_id);
export const COUNTRY_IDS = PLACES.map(({ country_id }) => country_id);

/** First number of the range that is reserved for examples. */
export const FIRST_ASN = 64_500;
export const NETWORKS = [
  { asn_id: FIRST_ASN, asn_name: 'Example Hosting' },
  { asn_id: FIRST_ASN + 1, asn_name: 'Example Broadband' },
  { asn_id: FIRST_ASN + 2, asn_name: 'Example Telecom' },
] as const;

export const networkOf = (asn: number): Network =>
  NETWORKS.find(({ asn_id }) => asn_id === asn) ?? { asn_id: asn, asn_name: `Example Network ${asn}` };

/** Returns the fields of a place that a proxy also has. */
export const proxyPlace = ({
  subdivision_alias: _,
  city_alias: __,
  city_population: ___,
  ...fields
}: Place): Omit<Place, 'subdivision_alias' | 'city_alias' | 'city_population'> => fields;

/** Returns the number of nodes online, which varies a little from hour to hour. */
export const nodesOnline = (seed: number, name: string, hour: number): number => {
  const hash = mix(seed, hashText(name));
  return Math.round((50 + 5_000 * draw(hash, 1) ** 2) * (0.9 + 0.2 * draw(mix(hash, hour), 2)));
};
