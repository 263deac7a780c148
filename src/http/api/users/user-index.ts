// Defines what proxy users are filtered and sorted by: states and quotas as of the last run, which changes every forecast.

import { QUOTA_STATES } from '../../../collectors/proxy-users/quota-status.ts';
import { type UserWithStatuses, userStatusPages } from '../../../collectors/proxy-users/user-pages.ts';
import { METERED_TYPES, type MeteredType } from '../../../lib/product-types.ts';
import type { AccountView, DaemonView } from '../../daemon-view.ts';
import type { SortKey } from '../lists/find-page.ts';
import { type ColumnsOf, type ListIndex, NO_WORD, type NumberOfRow } from '../lists/list-index.ts';
import { hasWord, type RowTest } from '../lists/scan.ts';
import { accountWithCollector } from '../route.ts';

export interface IndexedUser extends UserWithStatuses {
  readonly id: string;
}

/** The states by which users are filtered and counted. */
export const FILTER_STATES = [...QUOTA_STATES, 'unknown'] as const;
export type FilterState = (typeof FILTER_STATES)[number];

type QuotaColumn = 'limit' | 'used' | 'exhausted';
const nameOf = (column: QuotaColumn | 'state', type: MeteredType): string => `${column} ${type}`;

const byType = <V>(
  column: QuotaColumn | 'state',
  of: (user: IndexedUser, type: MeteredType) => V,
): Record<string, (user: IndexedUser) => V> =>
  Object.fromEntries(METERED_TYPES.map((type) => [nameOf(column, type), (user) => of(user, type)]));

export const userColumns: ColumnsOf<IndexedUser> = {
  words: {
    ...byType('state', ({ statuses }, type) => statuses[type].state ?? 'unknown'),
    deleted: ({ user }) => (user.isDeleted ? 'yes' : null),
  },
  numbers: {
    // A limit without known remaining bytes has no use here.
    ...byType('limit', ({ user, statuses }, type) =>
      statuses[type].leftBytes === undefined ? null : user.quotas[type].limitBytes,
    ),
    ...byType('used', ({ user }, type) => user.quotas[type].usedBytes),
    ...byType('exhausted', ({ statuses }, type) => {
      const { state, exhaustedAt } = statuses[type];
      return state === 'exhausted' ? 0 : (exhaustedAt ?? null);
    }),
  },
};

export const userPages = (view: DaemonView, account: string) => {
  const found = accountWithCollector(view, account, 'proxy_users');
  return found && pagesOf(found);
};

async function* pagesOf({ settings: account, store, userOptions: options, clock }: AccountView) {
  for await (const page of userStatusPages({ account, options, store, clock }))
    yield page.map((each) => ({ ...each, id: each.user.id }));
}

export const statesOf = (index: ListIndex, type: MeteredType) => index.words(nameOf('state', type));

export const isCurrentUser = (index: ListIndex): RowTest => {
  const [isDeleted = () => false] = hasWord(index, ['deleted'], ['yes']);
  return (row) => !isDeleted(row);
};

export const hasState = (
  index: ListIndex,
  types: readonly MeteredType[],
  states: readonly FilterState[],
): RowTest[] =>
  hasWord(
    index,
    types.map((type) => nameOf('state', type)),
    states,
  );

/** The most urgent state comes first. */
const STATE_ORDER: readonly FilterState[] = ['exhausted', 'low', 'soon', 'ok', 'unlimited'];

type QuotaNumber = (index: ListIndex, type: MeteredType) => NumberOfRow;

const stateRank: QuotaNumber = (index, type) => {
  const { words, codes } = statesOf(index, type);
  const ranks = Float64Array.from(words, (state) =>
    state === 'unknown' ? Number.NaN : STATE_ORDER.indexOf(state as FilterState),
  );
  return (row) => ranks[codes[row] ?? NO_WORD] ?? Number.NaN;
};

const numberOf =
  (column: QuotaColumn): QuotaNumber =>
  (index, type) =>
    index.numbers(nameOf(column, type));

const leftOf: QuotaNumber = (index, type) => {
  const [limit, used] = [numberOf('limit')(index, type), numberOf('used')(index, type)];
  return (row) => Math.max(0, limit(row) - used(row));
};

const ratioOf: QuotaNumber = (index, type) => {
  const [limit, used] = [numberOf('limit')(index, type), numberOf('used')(index, type)];
  return (row) => (limit(row) === 0 ? Number.NaN : Math.max(0, used(row)) / limit(row));
};

/** Is later than all times that a date can have. */
const NO_FORECAST = 9e15;

/** Without a forecast, the share that is used decides, after all forecasts. */
const urgencyOf: QuotaNumber = (index, type) => {
  const [exhausted, ratio] = [numberOf('exhausted')(index, type), ratioOf(index, type)];
  return (row) => {
    const at = exhausted(row);
    return Number.isNaN(at) ? NO_FORECAST - Math.round(Math.min(ratio(row), 1e6) * 1e6) : at;
  };
};

/** How users are sorted, and whether the lowest or the highest known number of their quotas counts. */
const SORTS = {
  state: [Math.min, stateRank],
  exhaustion: [Math.min, numberOf('exhausted')],
  urgency: [Math.min, urgencyOf],
  left_bytes: [Math.min, leftOf],
  used_bytes: [Math.max, numberOf('used')],
  used_ratio: [Math.max, ratioOf],
} as const;
type Sort = keyof typeof SORTS;

export const USER_SORTS = Object.keys(SORTS) as Sort[];

export const userSortKey =
  (sort: Sort, types: readonly MeteredType[]): SortKey =>
  (index) => {
    const [pick, quotaNumber] = SORTS[sort];
    const numbers = types.map((each) => quotaNumber(index, each));
    return (row) => {
      let found = Number.NaN;
      for (const number of numbers) {
        const value = number(row);
        if (!Number.isNaN(value)) found = Number.isNaN(found) ? value : pick(found, value);
      }
      return found;
    };
  };

/** Returns a text that changes with each run of the account's collector, and with the configuration. */
export const runRevision = async (view: DaemonView, account: string): Promise<string> => {
  const found = accountWithCollector(view, account, 'proxy_users');
  const runs = (await found?.store.runs.states(account)) ?? [];
  const last = runs.find((run) => run.collector === 'proxy_users');
  return `${view.configurationRevision()} ${last?.finishedAt ?? ''}`;
};
