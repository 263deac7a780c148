// Serves GET /api/v1/users, single users and a summary: proxy users with their quotas and forecasts.

import { quotaRuleOf } from '../../../collectors/proxy-users/quota-status.ts';
import { riseOf } from '../../../collectors/proxy-users/rise.ts';
import { userTimesOf } from '../../../collectors/proxy-users/user-times.ts';
import { METERED_TYPES, type MeteredType } from '../../../lib/product-types.ts';
import type { AccountView, DaemonView } from '../../daemon-view.ts';
import { indexedList } from '../lists/indexed-list.ts';
import type { ListIndex } from '../lists/list-index.ts';
import * as parameters from '../parameters.ts';
import { accountWithCollector, itemRoute, route, selectedAccounts } from '../route.ts';
import {
  FILTER_STATES,
  type FilterState,
  hasState,
  isCurrentUser,
  runRevision,
  statesOf,
  USER_SORTS,
  userColumns,
  userPages,
  userSortKey,
} from './user-index.ts';
import { clientsJson, riseJson, summary, user, userDetails, userJson } from './user-json.ts';

/** Changes with each run too, because forecasts change with it, also for users without new stored values. */
const revision = async (view: DaemonView): Promise<string> => {
  const runs = await Promise.all(view.accounts().map((name) => runRevision(view, name)));
  return [view.revision(['users']), ...runs].join(' ');
};

const readUser = async ({ store, settings, userOptions }: AccountView, id: string) => {
  const { name, time_zone: zone } = settings;
  const stored = await store.users.find(name, id);
  if (!stored) return undefined;
  const { countedAt: listedAt } = await store.users.listing(name);
  const rule = quotaRuleOf({ account: settings, options: userOptions });
  const details = (await store.users.details(name, [id])).get(id);
  const known = details && { ...details, ...userTimesOf(details, zone) };
  return userJson(name, { ...stored, ...known, rule, listedAt });
};

const readUserDetails = async (found: AccountView, id: string) => {
  const { store, settings, clock } = found;
  const [json, stored] = [await readUser(found, id), await store.users.find(settings.name, id)];
  if (!json || !stored) return undefined;
  const { client_addresses } = settings.request_log || {};
  const clients = client_addresses ? await store.requestLog.clientsOf(settings.name, id) : undefined;
  const context = { account: settings, store, clock };
  const rises = METERED_TYPES.map(
    async (type) => [type, riseJson(await riseOf(context, stored, type))] as const,
  );
  return {
    ...json,
    client_addresses: clients ? clientsJson(clients) : null,
    rise: Object.fromEntries(await Promise.all(rises)) as Record<MeteredType, ReturnType<typeof riseJson>>,
  };
};

interface UserFilter {
  readonly state: readonly FilterState[];
  readonly product_type?: MeteredType | undefined;
  readonly include_deleted: boolean;
}

const typesOf = ({ product_type: type }: Pick<UserFilter, 'product_type'>): readonly MeteredType[] =>
  type ? [type] : METERED_TYPES;

/** A user may have changed since the last run, and no longer match the filter. */
const stillMatches = (json: ReturnType<typeof userJson>, filter: UserFilter): boolean => {
  if (json.is_deleted && !filter.include_deleted) return false;
  const { state: states } = filter;
  if (states.length === 0) return true;
  return typesOf(filter).some((type) => states.includes(json.quotas[type].state ?? 'unknown'));
};

const list = indexedList({
  path: '/api/v1/users',
  collector: 'proxy_users',
  summary: 'Proxy users and their quotas',
  query: {
    state: parameters
      .someOf(FILTER_STATES)
      .describe('Only users with a quota in this state. You can repeat the parameter'),
    product_type: parameters
      .oneOf(METERED_TYPES)
      .optional()
      .describe('The quota to which `state` and `sort` refer. The default is both quotas'),
    include_deleted: parameters.booleanFlag.describe('With `true`, the list also has deleted users'),
  },
  item: user,
  revision,
  columns: userColumns,
  searched: [],
  sorts: USER_SORTS,
  sortKeyOf: (sort, filters) => userSortKey(sort, typesOf(filters)),
  defaultSort: 'state',
  sortText:
    '`state`: `exhausted`, `low`, `soon`, `ok`, `unlimited`. `exhaustion`: exhausted users, then users by the time of their forecast. `urgency`: the same, then users without a forecast by the share that they have used. Of two quotas, the more urgent one counts. Users without a known value come last',
  variantOf: ({ product_type: type }) => type ?? '',
  indexRevision: runRevision,
  pages: userPages,
  filter: (index, query) => [
    ...(query.include_deleted ? [] : [isCurrentUser(index)]),
    ...hasState(index, typesOf(query), query.state),
  ],
  read: async ({ account, id }, view, filter) => {
    const found = accountWithCollector(view, account, 'proxy_users');
    const json = found && (await readUser(found, id));
    return json && stillMatches(json, filter) ? json : undefined;
  },
});

const one = itemRoute({
  path: '/api/v1/accounts/{account}/users/{proxy_user_id}',
  collector: 'proxy_users',
  summary: 'One proxy user',
  query: {},
  answer: userDetails,
  revision: async (view) => `${await revision(view)} ${view.revision(['requestLog', 'logSummaries'])}`,
  find: async (view, name, id) => {
    const found = accountWithCollector(view, name, 'proxy_users');
    return found && readUserDetails(found, id);
  },
});

/** Counts the users of the requested accounts, or of all if none is requested. */
export const readSummary = async (view: DaemonView, requested: readonly string[]) => {
  const rows = [];
  for (const account of selectedAccounts(requested, view)) {
    const index = await list.indexOf(view, account);
    const store = accountWithCollector(view, account, 'proxy_users')?.store;
    if (!index || !store) continue;
    // Before a listing is complete, all counts are unknown.
    const isListed = (await store.users.listing(account)).countedAt !== null;
    for (const product_type of METERED_TYPES) {
      const counts = isListed ? countStates(index, product_type) : { users: null, states: null };
      rows.push({ account, product_type, ...counts });
    }
  }
  return rows;
};

const countStates = (index: ListIndex, type: MeteredType) => {
  const { words, codes } = statesOf(index, type);
  const [isCurrent, byCode] = [isCurrentUser(index), new Array<number>(words.length).fill(0)];
  codes.forEach((code, row) => {
    if (isCurrent(row)) byCode[code] = (byCode[code] ?? 0) + 1;
  });
  const states = FILTER_STATES.map((state) => [state, byCode[words.indexOf(state)] ?? 0] as const);
  const users = states.reduce((sum, [, count]) => sum + count, 0);
  return { users, states: Object.fromEntries(states) as Record<FilterState, number> };
};

const states = route({
  path: '/api/v1/users/summary',
  collector: 'proxy_users',
  summary: 'Number of proxy users by the state of their quotas',
  query: { account: parameters.account },
  answer: summary,
  revision,
  read: async ({ view, query }) => ({ data: await readSummary(view, query.account) }),
});

export const USER_ROUTES = [list.route, one, states];
