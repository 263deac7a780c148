// Serves GET /api/v1/inventory and single proxies: the account's proxies as of the last complete listing.

import { z } from 'zod';
import { findTestedId } from '../../../collectors/inventory-match.ts';
import { type InventoryProxy, MAX_USER_IDS } from '../../../store/inventory-store.ts';
import { amount, count, text, time } from '../fields.ts';
import { accountItemOf } from '../item.ts';
import { indexedList } from '../lists/indexed-list.ts';
import * as parameters from '../parameters.ts';
import { ApiError, accountWithCollector, revisionOfParts, route } from '../route.ts';
import { INVENTORY_CHANGE_ROUTES } from './changes.ts';
import {
  INVENTORY_SORTS,
  inventoryColumns,
  inventorySource,
  inventoryTests,
  SEARCHED,
  stillMatches,
} from './inventory-index.ts';

export const { schema: proxy, json: proxyJson } = accountItemOf<InventoryProxy>()(
  'InventoryProxy',
  (from) => ({
    proxy_id: from(text, ({ id }) => id),
    product_type: text.nullable(),
    protocol: text.nullable(),
    status: text.nullable(),
    ip_address: from(
      text.nullable().describe('The IPv4 address. Without an IPv4 address, the IPv6 address'),
      ({ address }) => address,
    ),
    ip_address_v6: from(text.nullable(), ({ addressV6 }) => addressV6),
    ip_address_id_v4: from(text.nullable(), ({ addressIdV4 }) => addressIdV4),
    ip_address_id_v6: from(text.nullable(), ({ addressIdV6 }) => addressIdV6),
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
    service_line_item_id: from(text.nullable(), ({ lineItemId }) => lineItemId),
    proxy_users: from(
      count.nullable().describe('Number of proxy users with access to the proxy'),
      ({ users }) => users,
    ),
    proxy_user_ids: from(
      z.array(text).nullable().describe(`Ids of the first ${MAX_USER_IDS} of these users`),
      ({ userIds }) => userIds && [...userIds],
    ),
    updated_at: time.nullable().describe('Time by the provider’s clock'),
  }),
);

export const proxyDetails = proxy
  .extend({
    tested_proxy_id: text
      .nullable()
      .describe('The `proxy_id` of the tested proxy that this proxy is. Null if it is not tested'),
  })
  .meta({ id: 'InventoryProxyDetails' });

const revision = revisionOfParts(['inventory']);

const one = route({
  path: '/api/v1/accounts/{account}/inventory/{proxy_id}',
  collector: 'inventory',
  summary: 'One proxy of the inventory',
  query: {},
  answer: proxyDetails,
  revision: async (view) => `${await view.tests.revision()} ${view.revision(['inventory'])}`,
  read: async ({ view, path: { account: name = '', proxy_id: id = '' } }) => {
    const store = accountWithCollector(view, name, 'inventory')?.store;
    const found = await store?.inventory.find(name, id);
    if (!store || !found) return new ApiError(404, `proxy_id: "${id}" is not known`);
    return { ...proxyJson(name, found), tested_proxy_id: (await findTestedId(store, name, id)) ?? null };
  },
});

const list = indexedList({
  path: '/api/v1/inventory',
  collector: 'inventory',
  summary: 'The account’s proxies',
  query: {
    product_type: parameters.texts.describe('Only proxies of this type. You can repeat the parameter'),
    status: parameters.texts.describe('Only proxies with this status. You can repeat the parameter'),
    country_id: parameters.texts.describe('Only proxies in this country. You can repeat the parameter'),
    service_id: parameters.texts.describe('Only proxies of this service. You can repeat the parameter'),
  },
  item: proxy,
  revision,
  columns: inventoryColumns,
  searched: SEARCHED,
  sorts: INVENTORY_SORTS,
  defaultSort: 'id',
  sortText: 'IPv4 addresses have the order of their numbers. Proxies without a known value come last',
  source: inventorySource,
  filter: inventoryTests,
  read: async ({ account, id }, view, filter) => {
    const found = await accountWithCollector(view, account, 'inventory')?.store.inventory.find(account, id);
    return found && stillMatches(found, filter) ? proxyJson(account, found) : undefined;
  },
});

export const INVENTORY_ROUTES = [list.route, ...INVENTORY_CHANGE_ROUTES, one];
