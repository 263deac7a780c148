// Simulates the endpoints of continents, autonomous systems, cities, subdivisions and available nodes.

import { HOUR } from '../../lib/time.ts';
import { type Route, retrieveRoute } from '../http.ts';
import { draw, hashText, mix } from '../random.ts';
import type { Scenario } from '../scenario.ts';
import { COUNTRY_IDS, FIRST_ASN, NETWORKS, networkOf, nodesOnline, PLACES, type Place } from './places.ts';
import { filtersOf, type Item, matchesFilter, searchRoute } from './search.ts';

const CONTINENTS = [
  { continent_id: 'af', continent_name: 'Africa', continent_alias: 'africa' },
  { continent_id: 'an', continent_name: 'Antarctica', continent_alias: null },
  { continent_id: 'as', continent_name: 'Asia', continent_alias: 'asia' },
  { continent_id: 'eu', continent_name: 'Europe', continent_alias: 'europe' },
  { continent_id: 'na', continent_name: 'North America', continent_alias: 'north_america' },
  { continent_id: 'oc', continent_name: 'Oceania', continent_alias: 'oceania' },
  { continent_id: 'sa', continent_name: 'South America', continent_alias: 'south_america' },
] as const;
const ASN_TYPES = ['hosting', 'isp', 'business', 'education', 'cdn'];
const REGISTRIES: Readonly<Record<string, string>> = { us: 'arin' };
const POPULOUS = 1_000_000;

export const geographyRoutes = ({ seed, networks }: Scenario): Route[] => {
  const asns = Array.from({ length: networks }, (_, index) => asn(seed, index));
  const nodes = (name: string, at: number) => nodesOnline(seed, name, Math.floor(at / HOUR));
  return [
    searchRoute('continent/search', { rows: () => CONTINENTS, item: (row) => row, liveFields: [] }),
    searchRoute('asn/search', {
      rows: () => asns,
      item: (row, at): Item => ({ ...row, asn_node_count: nodes(`asn ${row.asn_id}`, at) }),
      liveFields: ['asn_node_count'],
    }),
    retrieveRoute('city/retrieve', 'City', ({ id, at }) => {
      const place = PLACES.find(({ city_id }) => String(city_id) === id);
      return place && city(place, nodes(`city ${id}`, at));
    }),
    retrieveRoute('subdivision/retrieve', 'Subdivision', ({ id, at }) => {
      const place = PLACES.find(({ subdivision_id }) => subdivision_id === id);
      return place && subdivision(place, nodes(`subdivision ${id}`, at));
    }),
    availabilityRoute('residential', nodes),
    availabilityRoute('mobile', nodes),
  ];
};

/** By the names of the filters. */
const AVAILABILITY: readonly Item[] = PLACES.flatMap(
  ({ country_id, subdivision_id, city_name, city_example_postcode: zip_code_alias }) =>
    NETWORKS.map(({ asn_id }) => ({ country_id, subdivision_id, city_name, asn_id, zip_code_alias })),
);

const availabilityRoute = (type: string, nodes: (name: string, at: number) => number): Route => ({
  method: 'GET',
  endpoint: `${type}_availability/count`,
  handle: ({ query, at }) => {
    const filters = filtersOf(query, AVAILABILITY[0], {});
    const found = AVAILABILITY.filter((row) => filters.every((each) => matchesFilter(row[each.field], each)));
    const counts = found.map(({ city_name, asn_id }) => nodes(`${type} ${city_name} ${asn_id}`, at));
    const total = counts.reduce((one, other) => one + other, 0);
    return { data: { [`total_${type}_availability_node_count`]: total }, message: 'Count successful.' };
  },
});

const asn = (seed: number, index: number): Item => {
  const hash = mix(mix(seed, hashText('network')), index);
  const country = COUNTRY_IDS[index % COUNTRY_IDS.length] ?? '';
  return {
    ...networkOf(FIRST_ASN + index),
    asn_type: ASN_TYPES[index % ASN_TYPES.length],
    asn_rir: REGISTRIES[country] ?? 'ripe',
    asn_ip_address_count: 256 * (1 + Math.floor(draw(hash, 1) * 10_000)),
    country_id: country,
  };
};

const city = (place: Place, nodes: number) => ({
  city_id: place.city_id,
  city_name: place.city_name,
  city_alias: place.city_alias,
  city_example_postcode: place.city_example_postcode,
  city_is_populous: (place.city_population ?? 0) >= POPULOUS,
  city_latitude: place.city_latitude,
  city_longitude: place.city_longitude,
  city_node_count: nodes,
  city_population: place.city_population,
  city_timezone: place.city_timezone,
  subdivision_id: place.subdivision_id,
});

/** A subdivision without an alias has no such field. */
const subdivision = (place: Place, nodes: number) => ({
  subdivision_id: place.subdivision_id,
  subdivision_name: place.subdivision_name,
  ...(place.subdivision_alias !== null && { subdivision_alias: place.subdivision_alias }),
  subdivision_node_count: nodes,
  country_id: place.country_id,
});
