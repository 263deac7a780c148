// Lists proxy users in orders that the store does not have: by when their bytes run out, and filtered by state.

import { setImmediate } from 'node:timers/promises';
import { QUOTA_STATES, type QuotaState } from '../../../collectors/proxy-users/quota-status.ts';
import { type RankedUser, RankedUsersCache } from '../../../collectors/proxy-users/ranked-users.ts';
import { METERED_TYPES, type MeteredType } from '../../../lib/product-types.ts';
import type { DaemonView } from '../../daemon-view.ts';
import type { PageRequest, Position } from '../page.ts';
import { accountWithCollector, selectedAccounts } from '../route.ts';

export interface UserFilter {
  /** An empty list means any state. */
  readonly states: readonly QuotaState[];
  readonly types: readonly MeteredType[];
  readonly withDeleted: boolean;
}

/** How many users are checked before other work runs. */
const SLICE_SIZE = 5_000;

export type UserSort = 'id' | 'exhaustion';

/** Users are ordered by rank, then by account, then by id. */
interface SortKey {
  readonly rank: number;
  readonly account: string;
  readonly id: string;
}

export interface UserEntry extends SortKey {
  readonly position: Position;
}

export const matchesFilter = (
  isDeleted: boolean,
  stateOf: (type: MeteredType) => QuotaState | null | undefined,
  { states, types, withDeleted }: UserFilter,
): boolean => {
  if (isDeleted && !withDeleted) return false;
  return states.length === 0 || types.some((type) => states.some((state) => state === stateOf(type)));
};

/** Returns null for a position in a list with another sort. */
export const sortKeyAt = ({ account, id }: Position, sort: UserSort): SortKey | null => {
  const [head = '', ...rest] = id.split('\n');
  if (sort === 'id') return { rank: 0, account, id };
  const rank = Number(head);
  return head === '' || Number.isNaN(rank) || rest.length === 0
    ? null
    : { rank, account, id: rest.join('\n') };
};

export class UserOrder {
  /** The rankings of each daemon. */
  readonly #rankings = new WeakMap<DaemonView, RankedUsersCache>();

  /** Changes with each run too, because forecasts change with it, also for users without new stored values. */
  async revision(view: DaemonView): Promise<string> {
    const runs = await Promise.all(view.accounts().map((name) => lastRunRevision(view, name)));
    return [view.revision(['users']), ...runs].join(' ');
  }

  /** Returns up to one more than the limit, after the end of the previous page. */
  async listAfter(
    view: DaemonView,
    { accounts, limit }: PageRequest,
    after: SortKey | null,
    filter: UserFilter & { readonly sort: UserSort },
  ): Promise<UserEntry[]> {
    const first = new FirstN(limit + 1);
    for (const account of accounts) {
      for (const [index, ranked] of (await this.#ranked(view, account)).entries()) {
        if (index % SLICE_SIZE === SLICE_SIZE - 1) await setImmediate();
        if (!matchesFilter(ranked.isDeleted, (type) => ranked.states[type], filter)) continue;
        const rank =
          filter.sort === 'id' ? 0 : Math.min(...filter.types.map((type) => ranked.exhaustedAt[type]));
        const key = { rank, account, id: ranked.id };
        if (after === null || compare(after, key) < 0) first.add(key);
      }
    }
    return first
      .take()
      .map((key) => ({ ...key, position: { account: key.account, id: idOf(key, filter.sort) } }));
  }

  async summary(view: DaemonView, requested: readonly string[]) {
    const rows = [];
    for (const account of selectedAccounts(requested, view)) {
      const currentUsers = (await this.#ranked(view, account)).filter(({ isDeleted }) => !isDeleted);
      const found = accountWithCollector(view, account, 'proxy_users');
      if (!found) continue;
      // Before a listing is complete, all counts are unknown.
      const isListed = (await found.store.users.listing(account)).countedAt !== null;
      for (const product_type of METERED_TYPES) {
        const states = isListed ? countByState(currentUsers, product_type) : null;
        rows.push({ account, product_type, users: isListed ? currentUsers.length : null, states });
      }
    }
    return rows;
  }

  async #ranked(view: DaemonView, account: string): Promise<readonly RankedUser[]> {
    const found = accountWithCollector(view, account, 'proxy_users');
    if (!found) return [];
    const { settings, store, userOptions: options, clock } = found;
    const rankings = this.#rankings.get(view) ?? new RankedUsersCache();
    this.#rankings.set(view, rankings);
    rankings.keep(view.accounts());
    return rankings.get({ account: settings, options, store, clock }, await lastRunRevision(view, account));
  }
}

const countByState = (
  users: readonly RankedUser[],
  type: MeteredType,
): Record<QuotaState | 'unknown', number> => {
  const none = Object.fromEntries(QUOTA_STATES.map((state) => [state, 0])) as Record<QuotaState, number>;
  const counts = { ...none, unknown: 0 };
  for (const { states } of users) counts[states[type] ?? 'unknown'] += 1;
  return counts;
};

/** Returns a text that changes with each run of the account's collector, and with the configuration. */
const lastRunRevision = async (view: DaemonView, account: string): Promise<string> => {
  const found = accountWithCollector(view, account, 'proxy_users');
  const runs = (await found?.store.runs.states(account)) ?? [];
  const last = runs.find(({ collector }) => collector === 'proxy_users');
  return `${view.revision([])} ${last?.finishedAt ?? ''}`;
};

/** Keeps the first `size` of many keys without sorting all of them. */
class FirstN {
  readonly #size: number;
  #keys: SortKey[] = [];
  /** A key after this one is not among the first. */
  #lastKey: SortKey | undefined;

  constructor(size: number) {
    this.#size = size;
  }

  add(key: SortKey): void {
    if (this.#lastKey && compare(key, this.#lastKey) > 0) return;
    this.#keys.push(key);
    if (this.#keys.length > 4 * this.#size + 1_000) this.take();
  }

  take(): SortKey[] {
    this.#keys = this.#keys.sort(compare).slice(0, this.#size);
    if (this.#keys.length === this.#size) this.#lastKey = this.#keys.at(-1);
    return this.#keys;
  }
}

const idOf = ({ rank, id }: SortKey, sort: UserSort): string => (sort === 'id' ? id : `${rank}\n${id}`);

const compare = (one: SortKey, other: SortKey): number =>
  compareBy(one.rank, other.rank) || compareBy(one.account, other.account) || compareBy(one.id, other.id);

const compareBy = <T extends string | number>(one: T, other: T): number =>
  one === other ? 0 : one < other ? -1 : 1;
