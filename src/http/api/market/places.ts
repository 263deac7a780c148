// Serves GET /api/v1/places: networks and places of proxies.

import { z } from 'zod';
import type { Place } from '../../../store/catalog-store.ts';
import { accountItemOf, amount, count, flag, text } from '../item.ts';
import { indexedList, pageOfAll } from '../lists/indexed-list.ts';
import * as parameters from '../parameters.ts';
import { revisionOfParts } from '../route.ts';

const KINDS = ['continent', 'asn', 'city', 'subdivision'] as const;

/** Places of two kinds can have the same id at the provider. */
interface IndexedPlace extends Place {
  readonly placeId: string;
}

const { schema: place, json: placeJson } = accountItemOf<IndexedPlace & IndexedPlace['details']>()(
  'Place',
  (from) => ({
    kind: z.enum(KINDS),
    place_id: text,
    name: text.nullable(),
    nodes: count.nullable().describe('Number of online nodes'),
    ip_addresses: count.nullable().describe('Number of addresses of a network'),
    alias: text.nullable(),
    country_id: text.nullable(),
    subdivision_id: text.nullable(),
    asn_type: text.nullable(),
    asn_rir: from(text.nullable(), 'rir'),
    example_postcode: text.nullable(),
    is_populous: flag.nullable(),
    latitude: amount.nullable(),
    longitude: amount.nullable(),
    population: count.nullable(),
    time_zone: text.nullable(),
  }),
);

export const PLACE_LIST = indexedList({
  path: '/api/v1/places',
  collector: 'geography',
  summary: 'Networks, cities, subdivisions and continents',
  query: {
    kind: parameters.someOf(KINDS).describe('Only places of this kind. You can repeat the parameter'),
    country_id: parameters.texts.describe('Only places in this country. You can repeat the parameter'),
  },
  item: place,
  revision: revisionOfParts(['geography']),
  columns: {
    words: {
      kind: ({ kind }: IndexedPlace) => kind,
      place_id: ({ placeId }) => placeId,
      name: ({ name }) => name,
      country_id: ({ details }) => details.countryId ?? null,
    },
    numbers: { nodes: ({ nodes }) => nodes, population: ({ details }) => details.population ?? null },
  },
  // The store reads the places of an account together.
  keepsItems: true,
  searched: ['place_id', 'name', 'country_id'],
  searchesId: false,
  sorts: ['name', 'country_id', 'nodes', 'population'],
  defaultSort: 'id',
  sortText: '`id` orders by kind and id. Places without a known value come last',
  pages: pageOfAll('geography', async ({ store, settings }) =>
    (await store.geography.places(settings.name)).map((each) => ({
      ...each,
      placeId: each.id,
      id: `${each.kind}\n${each.id}`,
    })),
  ),
  read: async ({ account, item }) => item && placeJson(account, { ...item, ...item.details }),
});
