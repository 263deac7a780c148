// Serves GET /api/v1/inventory/changes: changes of the inventory of all accounts, newest first, page by page.

import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { INVENTORY_CHANGES, type InventoryChange, type NamedChange } from '../../store/inventory-store.ts';
import { accountItemOf, orNull, pageOf, text, time } from './item.ts';
import { pageRequestOf } from './list-route.ts';
import * as parameters from './parameters.ts';
import { ApiError, accountWithCollector, revisionOfParts, route } from './route.ts';

export const { schema: change, json: changeJson } = accountItemOf<NamedChange>()(
  'InventoryChange',
  (from) => ({
    at: time.describe('Start of the listing that showed the change'),
    change: z.enum(INVENTORY_CHANGES),
    proxy_id: text,
    before: orNull.text.describe('Old address, or old id of a network or city'),
    after: orNull.text.describe('New address, or new id of a network or city'),
    before_name: orNull.text.describe(
      'Name of the old network or city. Null if no proxy of the inventory has it any more, or if it has no name',
    ),
    after_name: orNull.text.describe('Name of the new network or city'),
    ip_address: from(
      orNull.text.describe('Present address of the proxy. Null if it has none, or was removed'),
      'address',
    ),
    reason: orNull.text.describe(
      'Why the proxy was replaced, such as `ip_reputation`, by an adjustment of its service with the same addresses. Null if none is known',
    ),
  }),
);

type Position = Pick<InventoryChange, 'at' | 'number'>;

/** Returns undefined for the cursor of another list. */
const decodePosition = (id: string): Position | undefined => {
  const [, at, number] = /^(\d{1,15}) (\d{1,15})$/.exec(id) ?? [];
  return at === undefined ? undefined : { at: Number(at), number: Number(number) };
};

export const INVENTORY_CHANGE_ROUTE = route({
  path: '/api/v1/inventory/changes',
  collector: 'inventory',
  summary: 'Changes of the inventory, newest first',
  query: {
    ...parameters.page,
    proxy_id: parameters.singleText.describe('Only changes of this proxy'),
    change: parameters.oneOf(INVENTORY_CHANGES).optional().describe('Only changes of this kind'),
    q: parameters.q.describe(
      'Only changes with this text in `proxy_id`, `before` or `after`, in upper or lower case',
    ),
    from: parameters.time.describe('Only changes at this time or later'),
    to: parameters.time.describe('Only changes before this time'),
  },
  answer: pageOf(change).extend({
    total: orNull.count.describe(
      'Number of changes that match, on all pages. Null with `q`, and with `change` without `proxy_id`, because counting up to 100,000 changes of each account takes too long then',
    ),
  }),
  revision: revisionOfParts(['inventory', 'adjustments']),
  read: async ({ view, query }) => {
    const { accounts, limit, after } = pageRequestOf(query, view);
    const before = after === null ? undefined : decodePosition(after.id);
    if (after && !before) throw new ApiError(400, 'cursor: expected one of the same list');
    const period = parameters.periodOf(query);
    const filter = { proxyId: query.proxy_id, change: query.change, text: query.q, ...period, before };
    const found: { account: string; change: NamedChange }[] = [];
    let total = 0;
    const isCounted = !query.q && (query.change === undefined || query.proxy_id !== undefined);
    for (const name of accounts) {
      const store = accountWithCollector(view, name, 'inventory')?.store;
      if (!store) continue;
      const newest = await store.inventory.newestChanges(name, limit + 1, filter);
      const named = await store.inventory.nameChanges(name, newest);
      found.push(...named.map((change) => ({ account: name, change })));
      if (isCounted) total += await store.inventory.countChanges(name, filter);
      await setImmediate();
    }
    // The numbers of changes are unique across all accounts.
    const newestFirst = found.sort(
      (one, other) => other.change.at - one.change.at || other.change.number - one.change.number,
    );
    const last = newestFirst.length > limit ? newestFirst[limit - 1] : undefined;
    return {
      data: newestFirst.slice(0, limit).map(({ account, change }) => changeJson(account, change)),
      next_cursor: last
        ? parameters.encodeCursor({ account: last.account, id: `${last.change.at} ${last.change.number}` })
        : null,
      total: isCounted ? total : null,
    };
  },
});
