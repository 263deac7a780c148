// Serves GET /api/v1/inventory and single proxies: the account's proxies as of the last complete listing.

import { findTestedId } from '../../../collectors/inventory-match.ts';
import { text } from '../fields.ts';
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
import { proxy, proxyJson } from './inventory-json.ts';

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
