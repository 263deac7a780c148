// Serves GET /api/v1/users, single users and a summary: proxy users with their quotas and forecasts.

import { setImmediate } from 'node:timers/promises';
import { QUOTA_STATES, quotaRuleOf } from '../../../collectors/proxy-users/quota-status.ts';
import { METERED_TYPES, type MeteredType } from '../../../lib/product-types.ts';
import type { StoredUser } from '../../../store/user-store.ts';
import type { AccountView, DaemonView } from '../../daemon-view.ts';
import { pageOf } from '../fields.ts';
import { encodeCursor, fromStorePages, readPage } from '../page.ts';
import * as parameters from '../parameters.ts';
import { ApiError, accountWithCollector, pageRequestOf, route } from '../route.ts';
import { type ListedUser, summary, user, userJson } from './user-json.ts';
import { matchesFilter, sortKeyAt, type UserEntry, type UserFilter, UserOrder } from './user-order.ts';

const withListing = async (
  { store, settings, userOptions }: AccountView,
  users: readonly StoredUser[],
): Promise<ListedUser[]> => {
  const { name, time_zone: zone } = settings;
  const { countedAt: listedAt } = await store.users.listing(name);
  const rule = quotaRuleOf({ account: settings, options: userOptions });
  const ids = users.map(({ id }) => id);
  const details = await store.users.details(name, ids);
  return users.map((user) => ({ ...user, rule, listedAt, details: details.get(user.id), zone }));
};

/** Lists users in the order of the store, which has pages of them. */
const listById = async (view: DaemonView, request: Parameters<typeof readPage>[0], withDeleted: boolean) => {
  const { items, nextCursor } = await readPage(
    request,
    fromStorePages(
      async (name, after, limit) => {
        const found = accountWithCollector(view, name, 'proxy_users');
        return found ? withListing(found, await found.store.users.page(name, after, limit)) : [];
      },
      withDeleted ? undefined : ({ isDeleted }) => !isDeleted,
    ),
  );
  return { data: items.map(({ account, item }) => userJson(account, item)), next_cursor: nextCursor };
};

const readEntries = async (view: DaemonView, entries: readonly UserEntry[], filter: UserFilter) => {
  const data: ReturnType<typeof userJson>[] = [];
  for (const { account, id } of entries) {
    const found = accountWithCollector(view, account, 'proxy_users');
    const stored = await found?.store.users.find(account, id);
    const [seen] = found && stored ? await withListing(found, [stored]) : [];
    if (!seen) continue;
    const json = userJson(account, seen);
    // A user may have changed since the last run and no longer match the filter.
    const stateOf = (type: MeteredType) => json.quotas[type].state;
    if (matchesFilter(seen.isDeleted, stateOf, filter)) data.push(json);
    await setImmediate();
  }
  return data;
};

const order = new UserOrder();

const list = route({
  path: '/api/v1/users',
  collector: 'proxy_users',
  summary: 'Proxy users and their quotas',
  query: {
    ...parameters.page,
    state: parameters
      .someOf(QUOTA_STATES)
      .describe('Only users with a quota in this state. You can repeat the parameter'),
    product_type: parameters
      .oneOf(METERED_TYPES)
      .optional()
      .describe('The quota to which `state` and `sort` refer. The default is both quotas'),
    sort: parameters
      .oneOf(['id', 'exhaustion'])
      .default('id')
      .describe(
        '`exhaustion`: first users without remaining bytes, then users by the time of their forecast, then all other users',
      ),
    include_deleted: parameters.booleanFlag.describe('With `true`, the list also has deleted users'),
  },
  answer: pageOf(user),
  revision: (view) => order.revision(view),
  read: async ({ view, query }) => {
    const request = pageRequestOf(query, view);
    const filter: UserFilter = {
      states: query.state,
      types: query.product_type ? [query.product_type] : METERED_TYPES,
      withDeleted: query.include_deleted,
    };
    if (query.sort === 'id' && query.state.length === 0)
      return listById(view, request, query.include_deleted);
    const after = request.after && sortKeyAt(request.after, query.sort);
    if (request.after && !after) return new ApiError(400, 'cursor: expected one of the same sort');
    const found = await order.listAfter(view, request, after, { ...filter, sort: query.sort });
    const onPage = found.slice(0, request.limit);
    const last = found.length > request.limit ? onPage.at(-1) : undefined;
    const data = await readEntries(view, onPage, filter);
    return { data, next_cursor: last ? encodeCursor(last.position) : null };
  },
});

const one = route({
  path: '/api/v1/accounts/{account}/users/{proxy_user_id}',
  summary: 'One proxy user',
  query: {},
  answer: user,
  revision: (view) => order.revision(view),
  read: async ({ view, path: { account: name = '', proxy_user_id: id = '' } }) => {
    const found = accountWithCollector(view, name, 'proxy_users');
    const stored = await found?.store.users.find(name, id);
    const [seen] = found && stored ? await withListing(found, [stored]) : [];
    return seen ? userJson(name, seen) : new ApiError(404, `proxy_user_id: "${id}" is not known`);
  },
});

const states = route({
  path: '/api/v1/users/summary',
  collector: 'proxy_users',
  summary: 'Number of proxy users by the state of their quotas',
  query: { account: parameters.account },
  answer: summary,
  revision: (view) => order.revision(view),
  read: async ({ view, query }) => ({ data: await order.summary(view, query.account) }),
});

export const USER_ROUTES = [list, one, states];
