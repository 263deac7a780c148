// Serves GET /api/v1/places and /api/v1/products: networks and places of proxies, and the products of the provider’s catalog.

import { z } from 'zod';
import type { Place, StoredProduct } from '../../store/catalog-store.ts';
import { accountItemOf, flag, orNull, text } from './item.ts';
import { indexedList, pageOfAll } from './lists/indexed-list.ts';
import * as parameters from './parameters.ts';
import { revisionOfParts } from './route.ts';

const KINDS = ['continent', 'asn', 'city', 'subdivision', 'residential', 'mobile'] as const;

/** Places of two kinds can have the same id at the provider. */
interface IndexedPlace extends Place {
  readonly placeId: string;
}

const { schema: place, json: placeJson } = accountItemOf<IndexedPlace & IndexedPlace['details']>()(
  'Place',
  (from) => ({
    kind: z.enum(KINDS).describe('`residential` and `mobile` count the available nodes of a country'),
    place_id: text,
    name: orNull.text,
    nodes: orNull.count.describe('Number of nodes that are online or available'),
    ip_addresses: orNull.count.describe('Number of addresses of a network'),
    alias: orNull.text,
    country_id: orNull.text,
    subdivision_id: orNull.text,
    asn_type: orNull.text,
    asn_rir: from(orNull.text, 'rir'),
    example_postcode: orNull.text,
    is_populous: orNull.flag,
    latitude: orNull.amount,
    longitude: orNull.amount,
    population: orNull.count,
    time_zone: orNull.text,
  }),
);

export const PLACE_LIST = indexedList({
  path: '/api/v1/places',
  collector: 'geography',
  summary: 'Networks, cities, subdivisions, continents and available nodes',
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

export const { schema: product, json: productJson } = accountItemOf<StoredProduct>()('Product', (from) => ({
  product_code: from(text, 'code'),
  product_name: from(orNull.text, 'name'),
  product_type: from(orNull.text, 'type'),
  protocol: orNull.text,
  country_id: orNull.text,
  is_available: orNull.flag,
  stock: orNull.count,
  is_stock_unlimited: flag.describe('True if the stock is unlimited. `stock` is then null'),
  cycles: z
    .array(text)
    .nullable()
    .describe('Billing cycles, each as `<count>:<interval>`, such as `1:month`'),
  is_per_ip: orNull.flag.describe('True if the price is for each proxy'),
  is_listed: flag.describe(
    'True if the catalog lists the product. A product of `alert_on` can be missing from the catalog',
  ),
}));

export const PRODUCT_LIST = indexedList({
  path: '/api/v1/products',
  collector: 'catalog',
  summary: 'Products of the catalog',
  query: {
    product_type: parameters.texts.describe('Only products of this type. You can repeat the parameter'),
    country_id: parameters.texts.describe('Only products in this country. You can repeat the parameter'),
    is_available: parameters.optionalFlag.describe(
      'If true, only products that are available; if false, only products that are not',
    ),
  },
  item: product,
  revision: revisionOfParts(['catalog']),
  columns: {
    words: {
      product_name: ({ name }: StoredProduct & { readonly id: string }) => name,
      product_type: ({ type }) => type,
      country_id: ({ countryId }) => countryId,
      is_available: ({ isAvailable }) => (isAvailable === null ? null : String(isAvailable)),
    },
    numbers: {
      stock: ({ stock, isStockUnlimited }) => (isStockUnlimited ? Number.MAX_SAFE_INTEGER : stock),
    },
  },
  // A catalog is short, and the store reads its products together.
  keepsItems: true,
  searched: ['product_name', 'product_type', 'country_id'],
  sorts: ['product_name', 'product_type', 'country_id', 'stock'],
  defaultSort: 'id',
  sortText: 'Products without a known value come last',
  pages: pageOfAll('catalog', async ({ store, settings }) =>
    (await store.catalog.products(settings.name)).map((product) => ({ ...product, id: product.code })),
  ),
  read: async ({ account, item }) => item && productJson(account, item),
});
