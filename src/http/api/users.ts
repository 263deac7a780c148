// GET /api/v1/users and one of them: proxy users with their quotas, and when these will be used up.

import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { ProxyUserOptions } from '../../collectors/proxy-users/options.ts';
import { QUOTA_STATES, type QuotaState, standingOf } from '../../collectors/proxy-users/quota.ts';
import { METERED_TYPES, type MeteredType } from '../../lib/product-types.ts';
import type { StoredQuota, StoredUser } from '../../store/user-store.ts';
import { rfc3339 } from '../rfc3339.ts';
import type { AccountView, View } from '../view.ts';
import { account, count, flag, pageOf, ratio, text, time } from './fields.ts';
import { cursorAt, ofStored, readPage } from './page.ts';
import * as parameters from './parameters.ts';
import { accountWith, pageRequestOf, Refusal, route } from './route.ts';
import { type Filter, isWanted, positionOf, type UserPlace, UserPlaces } from './user-places.ts';

const quota = z
  .strictObject({
    state: z
      .enum(QUOTA_STATES)
      .nullable()
      .describe('`low`: less than a tenth is left; `soon`: used up within 3 days'),
    limit_bytes: count.nullable().describe('Null where there is none, or it is not known'),
    used_bytes: count.nullable().describe('Since the provider’s last reset'),
    left_bytes: count.nullable(),
    used_ratio: ratio.nullable().describe('Of the limit; above 1 where more was used'),
    exhausted_at: time.nullable().describe('Forecast; null while nothing is used, and when nothing is left'),
  })
  .meta({ id: 'Quota' });

const user = z
  .strictObject({
    account,
    proxy_user_id: text,
    access_type: text.nullable(),
    is_default: flag,
    is_deleted: flag,
    strict_security: flag,
    enforce_https: flag,
    quotas: z.strictObject({ residential: quota, mobile: quota }),
  })
  .meta({ id: 'ProxyUser' });

const summary = z.strictObject({
  data: z.array(
    z.strictObject({
      account,
      product_type: z.enum(METERED_TYPES),
      users: count.describe('Not deleted ones'),
      states: z.strictObject(
        Object.fromEntries(QUOTA_STATES.map((state) => [state, count])) as Record<QuotaState, typeof count>,
      ),
    }),
  ),
});

/** A user as its forecasts are seen at the newest complete listing. */
interface SeenUser extends StoredUser {
  readonly options: ProxyUserOptions;
  readonly listedAt: number | null;
}

const quotaJson = (quota: StoredQuota, { options, listedAt }: SeenUser) => {
  const { state, leftBytes, exhaustedAt } = standingOf(quota, options.zero_limit, listedAt);
  const { limitBytes, usedBytes } = quota;
  return {
    state: state ?? null,
    limit_bytes: limitBytes,
    used_bytes: usedBytes,
    left_bytes: leftBytes ?? null,
    used_ratio: limitBytes && usedBytes !== null ? Math.max(0, usedBytes) / limitBytes : null,
    exhausted_at: exhaustedAt === undefined ? null : rfc3339(Math.round(exhaustedAt)),
  };
};

const userJson = (account: string, user: SeenUser) => ({
  account,
  proxy_user_id: user.id,
  access_type: user.accessType || null,
  is_default: user.isDefault,
  is_deleted: user.isDeleted,
  strict_security: user.strictSecurity,
  enforce_https: user.enforceHttps,
  quotas: {
    residential: quotaJson(user.quotas.residential, user),
    mobile: quotaJson(user.quotas.mobile, user),
  },
});

const seenBy = async ({
  store,
  settings,
  userOptions,
}: AccountView): Promise<(user: StoredUser) => SeenUser> => {
  const { completeAt: listedAt } = await store.users.listing(settings.name);
  return (user) => ({ ...user, options: userOptions, listedAt });
};

/** Without an order of its own a list is the store's, which has pages of it. */
const listById = async (view: View, asked: Parameters<typeof readPage>[0], withDeleted: boolean) => {
  const { items, nextCursor } = await readPage(
    asked,
    ofStored(
      async (name, after, limit) => {
        const found = accountWith(view, name, 'proxy_users');
        return found ? (await found.store.users.page(name, after, limit)).map(await seenBy(found)) : [];
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
    if (!found || !stored) continue;
    const json = userJson(account, (await seenBy(found))(stored));
    // Who has changed since the last run may not be wanted any more.
    const stateOf = (type: MeteredType) => json.quotas[type].state;
    if (isWanted(stored.isDeleted, stateOf, filter)) data.push(json);
    await setImmediate();
  }
  return data;
};

const places = new UserPlaces();

const list = route({
  path: '/api/v1/users',
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
    if (!found || !stored) return new Refusal(404, `proxy_user_id: "${id}" is not known`);
    return userJson(name, (await seenBy(found))(stored));
  },
});

const states = route({
  path: '/api/v1/users/summary',
  summary: 'How many proxy users there are by state of their quotas',
  query: { account: parameters.account },
  answer: summary,
  revision: (view) => places.revision(view),
  read: async ({ view, query }) => ({ data: await places.summary(view, query.account) }),
});

export const USER_ROUTES = [list, one, states];
