// Serves GET /api/v1/places: networks and places of proxies.

import { z } from 'zod';
import type { Place } from '../../../store/catalog-store.ts';
import type { DaemonView } from '../../daemon-view.ts';
import { amount, count, flag, text } from '../fields.ts';
import { accountItemOf } from '../item.ts';
import { type IndexSource, indexedList } from '../lists/indexed-list.ts';
import type { ColumnsOf } from '../lists/list-index.ts';
import { hasWord } from '../lists/row-tests.ts';
import { byNumbers, byWords } from '../lists/sort.ts';
import * as parameters from '../parameters.ts';
import { accountWithCollector, revisionOfParts } from '../route.ts';

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
    asn_rir: from(text.nullable(), ({ rir }) => rir ?? null),
    example_postcode: text.nullable(),
    is_populous: flag.nullable(),
    latitude: amount.nullable(),
    longitude: amount.nullable(),
    population: count.nullable(),
    time_zone: text.nullable(),
  }),
);

const columns: ColumnsOf<IndexedPlace> = {
  words: {
    kind: ({ kind }) => kind,
    placeId: ({ placeId }) => placeId,
    name: ({ name }) => name,
    countryId: ({ details }) => details.countryId ?? null,
  },
  numbers: { nodes: ({ nodes }) => nodes, population: ({ details }) => details.population ?? null },
};

const source = async (view: DaemonView, account: string): Promise<IndexSource<IndexedPlace> | undefined> => {
  const found = accountWithCollector(view, account, 'geography');
  if (!found) return undefined;
  return {
    revision: view.revision(['geography']),
    pages: async function* () {
      const places = await found.store.geography.places(account);
      yield places.map((each) => ({ ...each, placeId: each.id, id: `${each.kind}\n${each.id}` }));
    },
  };
};

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
  columns,
  // The store reads the places of an account together.
  keepsItems: true,
  searched: ['placeId', 'name', 'countryId'],
  searchesId: false,
  sorts: {
    name: byWords('name'),
    country_id: byWords('countryId'),
    nodes: byNumbers('nodes'),
    population: byNumbers('population'),
  },
  defaultSort: 'id',
  sortText: '`id` orders by kind and id. Places without a known value come last',
  source,
  filter: (index, { kind, country_id }) => [
    ...hasWord(index, ['kind'], kind),
    ...hasWord(index, ['countryId'], country_id),
  ],
  read: async ({ account, item }) => item && placeJson(account, { ...item, ...item.details }),
});
