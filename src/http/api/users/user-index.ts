// Defines what proxy users are filtered and sorted by: their states and quotas as of the last run, because each run
// changes every forecast.

import type { CollectorName } from '../../../collectors/context.ts';
import type { QuotaState } from '../../../collectors/proxy-users/quota-status.ts';
import { type UserWithStatuses, userStatusPages } from '../../../collectors/proxy-users/user-pages.ts';
import { METERED_TYPES, type MeteredType } from '../../../lib/product-types.ts';
import type { DaemonView } from '../../daemon-view.ts';
import type { IndexSource } from '../lists/indexed-list.ts';
import { type ColumnsOf, type ListIndex, NO_WORD } from '../lists/list-index.ts';
import { hasWord } from '../lists/row-tests.ts';
import type { RowTest } from '../lists/scan.ts';
import type { SortKey } from '../lists/sort.ts';
import { accountWithCollector } from '../route.ts';

export interface IndexedUser extends UserWithStatuses {
  readonly id: string;
}

type QuotaColumn = 'limit' | 'used' | 'exhausted';
const nameOf = (column: QuotaColumn | 'state', type: MeteredType): string => `${column} ${type}`;

const byType = <V>(
  column: QuotaColumn | 'state',
  of: (user: IndexedUser, type: MeteredType) => V,
): Record<string, (user: IndexedUser) => V> =>
  Object.fromEntries(METERED_TYPES.map((type) => [nameOf(column, type), (user) => of(user, type)]));

export const userColumns: ColumnsOf<IndexedUser> = {
  words: {
    ...byType('state', ({ statuses }, type) => statuses[type].state ?? null),
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

export const userSource = async (
  view: DaemonView,
  account: string,
): Promise<IndexSource<IndexedUser> | undefined> => {
  const found = accountWithCollector(view, account, 'proxy_users');
  if (!found) return undefined;
  const { settings, store, userOptions: options, clock } = found;
  return {
    revision: await runRevision(view, account, 'proxy_users'),
    pages: async function* () {
      for await (const page of userStatusPages({ account: settings, options, store, clock }))
        yield page.map((each) => ({ ...each, id: each.user.id }));
    },
  };
};

export const statesOf = (index: ListIndex, type: MeteredType) => index.words(nameOf('state', type));

export const isCurrentUser = (index: ListIndex): RowTest => {
  const [isDeleted = () => false] = hasWord(index, ['deleted'], ['yes']);
  return (row) => !isDeleted(row);
};

export const hasState = (
  index: ListIndex,
  types: readonly MeteredType[],
  states: readonly QuotaState[],
): RowTest[] =>
  hasWord(
    index,
    types.map((type) => nameOf('state', type)),
    states,
  );

/** The most urgent state comes first. */
const STATE_ORDER: readonly QuotaState[] = ['exhausted', 'low', 'soon', 'ok', 'unlimited'];

type QuotaNumber = (index: ListIndex, type: MeteredType) => (row: number) => number;

const stateRank: QuotaNumber = (index, type) => {
  const { words, codes } = statesOf(index, type);
  const ranks = Float64Array.from(words, (state) => STATE_ORDER.indexOf(state as QuotaState));
  return (row) => {
    const code = codes[row] ?? NO_WORD;
    return code < ranks.length ? (ranks[code] ?? Number.NaN) : Number.NaN;
  };
};

const numberOf =
  (column: QuotaColumn): QuotaNumber =>
  (index, type) => {
    const values = index.numbers(nameOf(column, type));
    return (row) => values[row] ?? Number.NaN;
  };

const leftOf: QuotaNumber = (index, type) => {
  const [limit, used] = [numberOf('limit')(index, type), numberOf('used')(index, type)];
  return (row) => Math.max(0, limit(row) - used(row));
};

const ratioOf: QuotaNumber = (index, type) => {
  const [limit, used] = [numberOf('limit')(index, type), numberOf('used')(index, type)];
  return (row) => (limit(row) === 0 ? Number.NaN : Math.max(0, used(row)) / limit(row));
};

/** Takes the lowest or highest known number of the quotas. */
const sortBy =
  (pick: (...values: number[]) => number, quotaNumber: QuotaNumber) =>
  ({ product_type: type }: { readonly product_type?: MeteredType | undefined }): SortKey => ({
    number: (index) => {
      const numbers = (type ? [type] : METERED_TYPES).map((each) => quotaNumber(index, each));
      return (row) => {
        let found = Number.NaN;
        for (const number of numbers) {
          const value = number(row);
          if (!Number.isNaN(value)) found = Number.isNaN(found) ? value : pick(found, value);
        }
        return found;
      };
    },
  });

export const USER_SORTS = {
  state: sortBy(Math.min, stateRank),
  exhaustion: sortBy(Math.min, numberOf('exhausted')),
  left_bytes: sortBy(Math.min, leftOf),
  used_bytes: sortBy(Math.max, numberOf('used')),
  used_ratio: sortBy(Math.max, ratioOf),
} as const;

/** Returns a text that changes with each run of the account's collector, and with the configuration. */
export const runRevision = async (
  view: DaemonView,
  account: string,
  collector: CollectorName,
): Promise<string> => {
  const found = accountWithCollector(view, account, collector);
  const runs = (await found?.store.runs.states(account)) ?? [];
  const last = runs.find((run) => run.collector === collector);
  return `${view.configurationRevision()} ${last?.finishedAt ?? ''}`;
};
