// Serves GET /api/v1/inventory, single proxies and changes: the account's proxies as of the last complete listing.

import { z } from 'zod';
import {
  INVENTORY_CHANGES,
  type InventoryChange,
  type InventoryProxy,
} from '../../../store/inventory-store.ts';
import { rfc3339 } from '../../rfc3339.ts';
import { account, pageOf, text, time } from '../fields.ts';
import { listRoute } from '../list-route.ts';
import { encodeCursor, fromStorePages } from '../page.ts';
import * as parameters from '../parameters.ts';
import { ApiError, accountWithCollector, pageRequestOf, revisionOfParts, route } from '../route.ts';
import { proxy, proxyJson } from './inventory-json.ts';

const change = z
  .strictObject({
    account,
    at: time.describe('Start of the listing that showed the change'),
    change: z.enum(INVENTORY_CHANGES),
    proxy_id: text,
    before: text.nullable().describe('Old address, or old id of a network or city'),
    after: text.nullable().describe('New address, or new id of a network or city'),
  })
  .meta({ id: 'InventoryChange' });

const changeJson = (account: string, { at, change, proxyId, before, after }: InventoryChange) => ({
  account,
  at: rfc3339(at),
  change,
  proxy_id: proxyId,
  before,
  after,
});

const FILTERS = {
  product_type: 'productType',
  status: 'status',
  country_id: 'countryId',
  service_id: 'serviceId',
} as const;
type FilterName = keyof typeof FILTERS;
const FILTER_NAMES = Object.keys(FILTERS) as FilterName[];

const revision = revisionOfParts(['inventory']);

/** Returns undefined if no filter is given. */
const filterOf = (
  query: Readonly<Partial<Record<FilterName, string | undefined>>>,
): ((proxy: InventoryProxy) => boolean) | undefined => {
  const given = FILTER_NAMES.filter((name) => query[name] !== undefined);
  return given.length === 0
    ? undefined
    : (proxy) => given.every((name) => proxy[FILTERS[name]] === query[name]);
};

const changes = route({
  path: '/api/v1/inventory/changes',
  collector: 'inventory',
  summary: 'Changes of the inventory, newest first',
  query: parameters.page,
  answer: pageOf(change),
  revision,
  read: async ({ view, query }) => {
    const { accounts, limit, after } = pageRequestOf(query, view);
    const before = after === null ? Number.MAX_SAFE_INTEGER : Number(after.id);
    if (!Number.isSafeInteger(before)) return new ApiError(400, 'cursor: expected one of the same list');
    // The numbers of changes rise across all accounts.
    const found = await Promise.all(
      accounts.map(async (name) => {
        const store = accountWithCollector(view, name, 'inventory')?.store;
        const newest = (await store?.inventory.newestChanges(name, before, limit + 1)) ?? [];
        return newest.map((change) => ({ account: name, change }));
      }),
    );
    const newestFirst = found.flat().sort((one, other) => other.change.number - one.change.number);
    const last = newestFirst.length > limit ? newestFirst[limit - 1] : undefined;
    return {
      data: newestFirst.slice(0, limit).map(({ account, change }) => changeJson(account, change)),
      next_cursor: last ? encodeCursor({ account: last.account, id: String(last.change.number) }) : null,
    };
  },
});

const one = route({
  path: '/api/v1/accounts/{account}/inventory/{proxy_id}',
  summary: 'One proxy of the inventory',
  query: {},
  answer: proxy,
  revision,
  read: async ({ view, path: { account: name = '', proxy_id: id = '' } }) => {
    const found = await accountWithCollector(view, name, 'inventory')?.store.inventory.find(name, id);
    return found ? proxyJson(name, found) : new ApiError(404, `proxy_id: "${id}" is not known`);
  },
});

export const INVENTORY_ROUTES = [
  listRoute({
    path: '/api/v1/inventory',
    collector: 'inventory',
    summary: 'The account’s proxies',
    query: {
      product_type: parameters.singleText.describe('Only proxies of this type'),
      status: parameters.singleText.describe('Only proxies with this status'),
      country_id: parameters.singleText.describe('Only proxies in this country'),
      service_id: parameters.singleText.describe('Only proxies of this service'),
    },
    item: proxy,
    revision,
    list: (view, query) =>
      fromStorePages(
        async (name, after, limit) =>
          (await accountWithCollector(view, name, 'inventory')?.store.inventory.page(name, after, limit)) ??
          [],
        filterOf(query),
      ),
    toJson: proxyJson,
  }),
  changes,
  one,
];
