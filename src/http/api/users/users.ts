// GET /api/v1/users and one of them: proxy users with their quotas, and when these will be used up.

import { setImmediate } from 'node:timers/promises';
import { QUOTA_STATES, quotaRuleOf } from '../../../collectors/proxy-users/quota.ts';
import { METERED_TYPES, type MeteredType } from '../../../lib/product-types.ts';
import type { StoredUser } from '../../../store/user-store.ts';
import type { AccountView, View } from '../../view.ts';
import { pageOf } from '../fields.ts';
import { cursorAt, ofStored, readPage } from '../page.ts';
import * as parameters from '../parameters.ts';
import { accountWith, pageRequestOf, Refusal, route } from '../route.ts';
import { type SeenUser, summary, user, userJson } from './user-json.ts';
import { type Filter, isWanted, positionOf, type UserPlace, UserPlaces } from './user-order.ts';

const seenBy = async (
  { store, settings, userOptions }: AccountView,
  users: readonly StoredUser[],
): Promise<SeenUser[]> => {
  const { name, time_zone: zone } = settings;
  const { countedAt: listedAt } = await store.users.listing(name);
  const rule = quotaRuleOf({ account: settings, options: userOptions });
  const ids = users.map(({ id }) => id);
  const details = await store.users.details(name, ids);
  return users.map((user) => ({ ...user, rule, listedAt, details: details.get(user.id), zone }));
};

/** Without an order of its own a list is the store's, which has pages of it. */
const listById = async (view: View, asked: Parameters<typeof readPage>[0], withDeleted: boolean) => {
  const { items, nextCursor } = await readPage(
    asked,
    ofStored(
      async (name, after, limit) => {
        const found = accountWith(view, name, 'proxy_users');
        return found ? seenBy(found, await found.store.users.page(name, after, limit)) : [];
      },
      withDeleted ? undefined : ({ isDeleted }) => !isDeleted,
    ),
  );
  return { data: items.map(({ account, item }) => userJson(account, item)), next_cursor: nextCursor };
};

const readPlaces = async (view: View, places: readonly UserPlace[], filter: Filter) => {
  const data: ReturnType<typeof userJson>[] = [];
  for (const { account, id } of places) {
    const found = accountWith(view, account, 'proxy_users');
    const stored = await found?.store.users.find(account, id);
    const [seen] = found && stored ? await seenBy(found, [stored]) : [];
    if (!seen) continue;
    const json = userJson(account, seen);
    // Who has changed since the last run may not be wanted any more.
    const stateOf = (type: MeteredType) => json.quotas[type].state;
    if (isWanted(seen.isDeleted, stateOf, filter)) data.push(json);
    await setImmediate();
  }
  return data;
};

const places = new UserPlaces();

const list = route({
  path: '/api/v1/users',
  collector: 'proxy_users',
  summary: 'Proxy users with their quotas',
  query: {
    ...parameters.page,
    state: parameters
      .someOf(QUOTA_STATES)
      .describe('Only users of whom a quota is in one of these states; may be repeated'),
    product_type: parameters
      .oneOf(METERED_TYPES)
      .optional()
      .describe('The quota that `state` and `sort` look at; either when it is not given'),
    sort: parameters
      .oneOf(['id', 'exhaustion'])
      .default('id')
      .describe('`exhaustion`: who ran out of bytes, who will first, then all others'),
    include_deleted: parameters.yesOrNo.describe('Deleted users too'),
  },
  answer: pageOf(user),
  revision: (view) => places.revision(view),
  read: async ({ view, query }) => {
    const asked = pageRequestOf(query, view);
    const filter: Filter = {
      states: query.state,
      types: query.product_type ? [query.product_type] : METERED_TYPES,
      withDeleted: query.include_deleted,
    };
    if (query.sort === 'id' && query.state.length === 0) return listById(view, asked, query.include_deleted);
    const after = asked.after && positionOf(asked.after, query.sort);
    if (asked.after && !after) return new Refusal(400, 'cursor: expected one of the same sort');
    const found = await places.after(view, asked, after, { ...filter, sort: query.sort });
    const onPage = found.slice(0, asked.limit);
    const last = found.length > asked.limit ? onPage.at(-1) : undefined;
    const data = await readPlaces(view, onPage, filter);
    return { data, next_cursor: last ? cursorAt(last.position) : null };
  },
});

const one = route({
  path: '/api/v1/accounts/{account}/users/{proxy_user_id}',
  summary: 'One proxy user',
  query: {},
  answer: user,
  revision: (view) => places.revision(view),
  read: async ({ view, path: { account: name = '', proxy_user_id: id = '' } }) => {
    const found = accountWith(view, name, 'proxy_users');
    const stored = await found?.store.users.find(name, id);
    const [seen] = found && stored ? await seenBy(found, [stored]) : [];
    return seen ? userJson(name, seen) : new Refusal(404, `proxy_user_id: "${id}" is not known`);
  },
});

const states = route({
  path: '/api/v1/users/summary',
  collector: 'proxy_users',
  summary: 'How many proxy users there are by state of their quotas',
  query: { account: parameters.account },
  answer: summary,
  revision: (view) => places.revision(view),
  read: async ({ view, query }) => ({ data: await places.summary(view, query.account) }),
});

export const USER_ROUTES = [list, one, states];
