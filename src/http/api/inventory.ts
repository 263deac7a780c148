// Serves GET /api/v1/inventory and single proxies: the account's proxies as of the last complete listing.

import { isIPv4 } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { findTestedId } from '../../collectors/inventory-match.ts';
import { type InventoryProxy, MAX_USER_IDS } from '../../store/inventory-store.ts';
import type { Store } from '../../store/store.ts';
import { INVENTORY_CHANGE_ROUTES } from './inventory-changes.ts';
import { accountItemOf, amount, count, text, time } from './item.ts';
import { indexedList, wordsIn } from './lists/indexed-list.ts';
import type { ColumnsOf } from './lists/list-index.ts';
import * as parameters from './parameters.ts';
import { accountWithCollector, itemRoute, revisionOfParts } from './route.ts';

export const inventoryItem = accountItemOf<InventoryProxy>()('InventoryProxy', (from) => ({
  proxy_id: from(text, 'id'),
  product_type: text.nullable(),
  protocol: text.nullable(),
  status: text.nullable(),
  ip_address: from(
    text.nullable().describe('The IPv4 address. Without an IPv4 address, the IPv6 address'),
    'address',
  ),
  ip_address_v6: from(text.nullable(), 'addressV6'),
  ip_address_id_v4: from(text.nullable(), 'addressIdV4'),
  ip_address_id_v6: from(text.nullable(), 'addressIdV6'),
  http_port: count.nullable(),
  socks5_port: count.nullable(),
  subnet_id: text.nullable(),
  subnet_id_v6: text.nullable(),
  asn_id: count.nullable(),
  asn_name: text.nullable(),
  city_id: count.nullable(),
  city_name: text.nullable(),
  latitude: amount
    .nullable()
    .describe(
      'Latitude of the city. `longitude`, `example_postcode` and `time_zone` are also values of the city',
    ),
  longitude: amount.nullable(),
  example_postcode: text.nullable(),
  time_zone: text.nullable(),
  subdivision_id: text.nullable(),
  subdivision_name: text.nullable(),
  country_id: text.nullable(),
  country_name: text.nullable(),
  service_id: text.nullable(),
  service_line_item_id: from(text.nullable(), 'lineItemId'),
  proxy_users: from(count.nullable().describe('Number of proxy users with access to the proxy'), 'users'),
  proxy_user_ids: from(
    z.array(text).nullable().describe(`Ids of the first ${MAX_USER_IDS} of these users`),
    ({ userIds }) => userIds && [...userIds],
  ),
  updated_at: time.nullable().describe('Time by the provider’s clock'),
}));

export const { schema: proxy, json: proxyJson } = inventoryItem;

export const proxyDetails = proxy
  .extend({
    tested_proxy_id: text
      .nullable()
      .describe('The `proxy_id` of the tested proxy that this proxy is. Null if it is not tested'),
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
    const page: InventoryProxy[] = await inventory.page(account, after, PAGE_SIZE);
    yield page;
    after = page.at(-1)?.id;
    await setImmediate();
  }
}

export const INVENTORY_ROUTES = [
  list.route,
  ...INVENTORY_CHANGE_ROUTES,
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
