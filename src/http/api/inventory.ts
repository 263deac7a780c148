// Serves GET /api/v1/inventory and single proxies: the account's proxies as of the last complete listing.

import { isIPv4 } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { findTestedId } from '../../collectors/inventory-match.ts';
import { type InventoryProxy, MAX_USER_IDS, type PlacedProxy } from '../../store/inventory-store.ts';
import type { Store } from '../../store/store.ts';
import { INVENTORY_CHANGE_ROUTE } from './inventory-changes.ts';
import { accountItemOf, orNull, text } from './item.ts';
import { indexedList, wordsIn } from './lists/indexed-list.ts';
import type { ColumnsOf } from './lists/list-index.ts';
import * as parameters from './parameters.ts';
import { accountWithCollector, itemRoute, revisionOfParts } from './route.ts';

export const inventoryItem = accountItemOf<PlacedProxy>()('InventoryProxy', (from) => ({
  proxy_id: from(text, 'id'),
  product_type: orNull.text,
  protocol: orNull.text,
  status: orNull.text,
  ip_address: from(
    orNull.text.describe('The IPv4 address. Without an IPv4 address, the IPv6 address'),
    'address',
  ),
  ip_address_v6: from(orNull.text, 'addressV6'),
  ip_address_id_v4: from(orNull.text, 'addressIdV4'),
  ip_address_id_v6: from(orNull.text, 'addressIdV6'),
  http_port: orNull.count,
  socks5_port: orNull.count,
  subnet_id: orNull.text,
  subnet_id_v6: orNull.text,
  asn_id: orNull.count,
  asn_name: orNull.text,
  city_id: orNull.count,
  city_name: orNull.text,
  latitude: orNull.amount.describe(
    'Latitude of the city. `longitude`, `example_postcode` and `time_zone` are also values of the city',
  ),
  longitude: orNull.amount,
  example_postcode: orNull.text,
  time_zone: orNull.text,
  subdivision_id: orNull.text,
  subdivision_name: orNull.text,
  country_id: orNull.text,
  country_name: orNull.text,
  placed_in: orNull.text.describe('Country in which others place the address, if `placed_at` is not null'),
  placed_at: orNull.time.describe('Newest answer of the provider about it'),
  service_id: orNull.text,
  service_line_item_id: from(orNull.text, 'lineItemId'),
  proxy_users: from(orNull.count.describe('Number of proxy users with access to the proxy'), 'users'),
  proxy_user_ids: from(
    z.array(text).nullable().describe(`Ids of the first ${MAX_USER_IDS} of these users`),
    ({ userIds }) => userIds && [...userIds],
  ),
  updated_at: orNull.time.describe('Time by the provider’s clock'),
}));

export const { schema: proxy, json: proxyJson } = inventoryItem;

export const proxyDetails = proxy
  .extend({
    tested_proxy_id: orNull.text.describe(
      'The `proxy_id` of the tested proxy that this proxy is. Null if it is not tested',
    ),
  })
  .meta({ id: 'InventoryProxyDetails' });

/** Orders IPv4 addresses by their numbers, and puts all others after them. */
const addressOrder = (address: string): string =>
  isIPv4(address)
    ? address
        .split('.')
        .map((byte) => byte.padStart(3, '0'))
        .join('.')
    : `~${address}`;

/** How many proxies are read at a time. */
const PAGE_SIZE = 100;

const columns: ColumnsOf<InventoryProxy> = {
  words: {
    ip_address: ({ address }) => address && addressOrder(address),
    status: ({ status }) => status,
    product_type: ({ productType }) => productType,
    country_id: ({ countryId }) => countryId,
    city_name: ({ cityName }) => cityName,
    asn_name: ({ asnName }) => asnName,
    service_id: ({ serviceId }) => serviceId,
    address: ({ address }) => address,
    addressV6: ({ addressV6 }) => addressV6,
    subnetId: ({ subnetId }) => subnetId,
    asnId: ({ asnId }) => (asnId === null ? null : String(asnId)),
    subdivisionName: ({ subdivisionName }) => subdivisionName,
    countryName: ({ countryName }) => countryName,
  },
  numbers: { updated_at: ({ updatedAt }) => updatedAt },
};

const FILTERS = {
  product_type: parameters.texts.describe('Only proxies of this type. You can repeat the parameter'),
  status: parameters.texts.describe('Only proxies with this status. You can repeat the parameter'),
  country_id: parameters.texts.describe('Only proxies in this country. You can repeat the parameter'),
  service_id: parameters.texts.describe('Only proxies of this service. You can repeat the parameter'),
};

/** A proxy may have changed since its index was made, and no longer match the filters. */
const stillMatches = (proxy: InventoryProxy, filters: object): boolean =>
  Object.keys(FILTERS).every((name) => {
    const words = wordsIn(filters, name);
    const word = columns.words[name]?.(proxy) ?? null;
    return words.length === 0 || (word !== null && words.includes(word));
  });

const revision = revisionOfParts(['inventory']);

const list = indexedList({
  path: '/api/v1/inventory',
  collector: 'inventory',
  summary: 'The account’s proxies',
  query: FILTERS,
  item: proxy,
  choices: ['product_type', 'status', 'country_id'],
  revision,
  columns,
  searched: [
    ...['address', 'addressV6', 'subnetId', 'asnId', 'asn_name', 'city_name', 'subdivisionName'],
    ...['country_id', 'countryName', 'service_id'],
  ],
  sorts: [
    ...(['ip_address', 'status', 'product_type', 'country_id', 'city_name', 'asn_name'] as const),
    ...(['service_id', 'updated_at'] as const),
  ],
  defaultSort: 'id',
  sortText: 'IPv4 addresses have the order of their numbers. Proxies without a known value come last',
  pages: (view, account) => {
    const store = accountWithCollector(view, account, 'inventory')?.store;
    return store && pagesOf(store, account);
  },
  read: async ({ account, id }, view, filters) => {
    const found = await accountWithCollector(view, account, 'inventory')?.store.inventory.find(account, id);
    return found && stillMatches(found, filters) ? proxyJson(account, found) : undefined;
  },
});

async function* pagesOf({ inventory }: Store, account: string) {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: PlacedProxy[] = await inventory.page(account, after, PAGE_SIZE);
    yield page;
    after = page.at(-1)?.id;
    await setImmediate();
  }
}

export const INVENTORY_ROUTES = [
  list.route,
  INVENTORY_CHANGE_ROUTE,
  itemRoute({
    path: '/api/v1/accounts/{account}/inventory/{proxy_id}',
    collector: 'inventory',
    summary: 'One proxy of the inventory',
    query: {},
    answer: proxyDetails,
    revision: async (view) => `${await view.tests.revision()} ${revision(view)}`,
    find: async (view, name, id) => {
      const store = accountWithCollector(view, name, 'inventory')?.store;
      const found = await store?.inventory.find(name, id);
      if (!store || !found) return undefined;
      return { ...proxyJson(name, found), tested_proxy_id: (await findTestedId(store, name, id)) ?? null };
    },
  }),
];
