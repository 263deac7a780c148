// Lists the parts of orders and places: services, the catalog, quotes, and places and networks.

import type { CollectorName } from '../../../src/collectors/context.ts';
import { COLLECTORS } from '../../../src/collectors/index.ts';
import { METERED_TYPES } from '../../../src/lib/product-types.ts';
import type { ProviderRequest } from '../../support/faulty-provider.ts';
import { SERVICES } from '../watched-account.ts';
import { type Derived, type Part, RECONCILED } from './part.ts';
import { TESTED_INFO, testedExcept } from './test-sources.ts';

const service = (
  name: string,
  id: string | undefined,
  collectors: readonly CollectorName[],
  derived: readonly Derived[],
): Part => ({
  endpoint: 'service/retrieve',
  name,
  collectors,
  matches: (request) => request.endpoint === 'service/retrieve' && request.id === id,
  rests: [{ group: 'services', labels: { service_id: id ?? '' } }],
  derived,
});

const place = (
  endpoint: string,
  name: string,
  matches: (request: ProviderRequest) => boolean,
  families: readonly string[],
  labels: Readonly<Record<string, string>> = {},
): Part => ({
  endpoint,
  name,
  collectors: COLLECTORS.filter(({ endpoints }) => endpoints.includes(endpoint)).map(({ name }) => name),
  matches: (request) => request.endpoint === endpoint && matches(request),
  rests: [{ group: 'places', families, labels }],
  derived: [],
});

export const ORDER_AND_PLACE_PARTS: readonly Part[] = [
  service('a service', SERVICES[0], ['services'], []),
  service(
    'a service whose proxies are tested',
    SERVICES[1],
    ['services', 'proxy_tests'],
    [...testedExcept('configured', 'search'), TESTED_INFO],
  ),
  {
    endpoint: 'checkout/catalog',
    name: 'the catalog',
    collectors: ['catalog'],
    matches: ({ endpoint }) => endpoint === 'checkout/catalog',
    rests: [{ group: 'catalog' }],
    derived: [],
  },
  {
    endpoint: 'checkout/quote',
    name: 'a quote',
    collectors: ['quotes'],
    matches: ({ endpoint, body }) => endpoint === 'checkout/quote' && 'product_code' in (body as object),
    rests: [
      { group: 'quotes', labels: { quote: 'isp-gb' } },
      { group: 'quotes', families: ['credit_balance'] },
    ],
    derived: [],
  },
  {
    endpoint: 'customer/retrieve',
    name: 'the customer',
    collectors: ['customer'],
    matches: ({ endpoint }) => endpoint === 'customer/retrieve',
    rests: [{ group: 'customer' }],
    derived: [{ group: 'summaries', reason: 'a summary is read after the customer' }, RECONCILED],
  },
  {
    endpoint: 'service_adjustment/search',
    name: 'the adjustments',
    collectors: ['adjustments'],
    matches: ({ endpoint }) => endpoint === 'service_adjustment/search',
    rests: [{ group: 'adjustments' }],
    derived: [],
  },
  ...METERED_TYPES.map((type) => ({
    endpoint: `${type}/summary`,
    name: 'a summary',
    collectors: ['customer'] as const,
    matches: ({ endpoint }: ProviderRequest) => endpoint === `${type}/summary`,
    rests: [{ group: 'summaries', labels: { product_type: type } }] as const,
    derived: [RECONCILED],
  })),
  place('continent/search', 'the continents', () => true, ['continents']),
  place(
    'asn/search',
    'a network',
    ({ query }) => query.asn_id === '64500',
    ['asn_nodes', 'asn_ip_addresses'],
    {
      asn_id: '64500',
    },
  ),
  place('city/retrieve', 'a city', ({ id }) => id === '202', ['city_nodes'], { city_id: '202' }),
  place('subdivision/retrieve', 'a subdivision', ({ id }) => id === 'fr-idf', ['subdivision_nodes'], {
    subdivision_id: 'fr-idf',
  }),
  ...METERED_TYPES.map((type) =>
    place(
      `${type}_availability/count`,
      'the available nodes of a country',
      ({ query }) => query.country_id === 'gb',
      ['available_nodes'],
      { product_type: type, country_id: 'gb' },
    ),
  ),
  {
    endpoint: 'ip_address/geolocate',
    name: 'where others place a proxy',
    collectors: ['inventory'],
    matches: ({ endpoint }) => endpoint === 'ip_address/geolocate',
    rests: [{ group: 'inventory', families: ['proxies_geolocated', 'proxies_placed_elsewhere'] }],
    derived: [],
  },
];
