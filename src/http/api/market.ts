// Serves GET /api/v1/products and /api/v1/places: products for sale, and networks and places of proxies.

import { z } from 'zod';
import type { StoredProduct } from '../../store/catalog-store.ts';
import type { Place } from '../../store/geography-store.ts';
import { account, amount, count, flag, text } from './fields.ts';
import { listRoute, whenEnabled } from './list-route.ts';
import { fromItems } from './page.ts';
import { revisionOfParts } from './route.ts';

export const product = z
  .strictObject({
    account,
    product_code: text,
    product_name: text.nullable(),
    product_type: text.nullable(),
    protocol: text.nullable(),
    country_id: text.nullable(),
    is_available: flag.nullable(),
    stock: count.nullable(),
    cycles: z
      .array(text)
      .nullable()
      .describe('Billing cycles, each as `<count>:<interval>`, such as `1:month`'),
    is_per_ip: flag.nullable().describe('True if the price is for each proxy'),
    is_listed: flag.describe(
      'True if the catalog lists the product. A product of `alert_on` can be missing from the catalog',
    ),
  })
  .meta({ id: 'Product' });

const place = z
  .strictObject({
    account,
    kind: z.enum(['continent', 'asn', 'city', 'subdivision']),
    place_id: text,
    name: text.nullable(),
    nodes: count.nullable().describe('Number of online nodes'),
    ip_addresses: count.nullable().describe('Number of addresses of a network'),
    alias: text.nullable(),
    country_id: text.nullable(),
    subdivision_id: text.nullable(),
    asn_type: text.nullable(),
    asn_rir: text.nullable(),
    example_postcode: text.nullable(),
    is_populous: flag.nullable(),
    latitude: amount.nullable(),
    longitude: amount.nullable(),
    population: count.nullable(),
    time_zone: text.nullable(),
  })
  .meta({ id: 'Place' });

const productJson = (account: string, product: StoredProduct) => ({
  account,
  product_code: product.code,
  product_name: product.name,
  product_type: product.type,
  protocol: product.protocol,
  country_id: product.countryId,
  is_available: product.isAvailable,
  stock: product.stock,
  cycles: product.cycles && [...product.cycles],
  is_per_ip: product.isPerIp,
  is_listed: product.isListed,
});

const placeJson = (account: string, { kind, id, name, nodes, ipAddresses, details }: Place) => ({
  ...{ account, kind, place_id: id, name, nodes },
  ip_addresses: ipAddresses,
  alias: details.alias ?? null,
  country_id: details.countryId ?? null,
  subdivision_id: details.subdivisionId ?? null,
  asn_type: details.asnType ?? null,
  asn_rir: details.rir ?? null,
  example_postcode: details.examplePostcode ?? null,
  is_populous: details.isPopulous ?? null,
  latitude: details.latitude ?? null,
  longitude: details.longitude ?? null,
  population: details.population ?? null,
  time_zone: details.timeZone ?? null,
});

export const MARKET_ROUTES = [
  listRoute({
    path: '/api/v1/products',
    collector: 'catalog',
    summary: 'Products of the catalog',
    query: {},
    item: product,
    revision: revisionOfParts(['catalog']),
    list: (view) =>
      fromItems(
        whenEnabled(view, 'catalog', ({ store, settings }) => store.catalog.products(settings.name)),
        ({ code }) => code,
      ),
    toJson: productJson,
  }),
  listRoute({
    path: '/api/v1/places',
    collector: 'geography',
    summary: 'Networks, cities, subdivisions and continents',
    query: {},
    item: place,
    revision: revisionOfParts(['geography']),
    list: (view) =>
      fromItems(
        whenEnabled(view, 'geography', ({ store, settings }) => store.geography.places(settings.name)),
        ({ kind, id }) => `${kind}\n${id}`,
      ),
    toJson: placeJson,
  }),
];
