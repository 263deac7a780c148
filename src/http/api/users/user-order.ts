// Where proxy users stand in lists that the store has no order for: by when they run out, and by state.

import { setImmediate } from 'node:timers/promises';
import { QUOTA_STATES, type QuotaState } from '../../../collectors/proxy-users/quota.ts';
import { type Ranked, Rankings } from '../../../collectors/proxy-users/ranking.ts';
import { METERED_TYPES, type MeteredType } from '../../../lib/product-types.ts';
import type { View } from '../../view.ts';
import type { PageRequest, Position } from '../page.ts';
import { accountsOf, accountWith } from '../route.ts';

export interface Filter {
  /** Any when there are none. */
  readonly states: readonly QuotaState[];
  readonly types: readonly MeteredType[];
  readonly withDeleted: boolean;
}

/** Users looked at before others have their turn. */
const SLICE = 5_000;

export type UserSort = 'id' | 'exhaustion';

/** Users are ordered by rank, then by account, then by id. */
interface Standing {
  readonly rank: number;
  readonly account: string;
  readonly id: string;
}

export interface UserPlace extends Standing {
  readonly position: Position;
}

export const isWanted = (
  isDeleted: boolean,
  stateOf: (type: MeteredType) => QuotaState | null | undefined,
  { states, types, withDeleted }: Filter,
): boolean => {
  if (isDeleted && !withDeleted) return false;
  return states.length === 0 || types.some((type) => states.some((state) => state === stateOf(type)));
};

/** Null for a position in a list of another sort. */
export const positionOf = ({ account, id }: Position, sort: UserSort): Standing | null => {
  const [head = '', ...rest] = id.split('\n');
  if (sort === 'id') return { rank: 0, account, id };
  const rank = Number(head);
  return head === '' || Number.isNaN(rank) || rest.length === 0
    ? null
    : { rank, account, id: rest.join('\n') };
};

export class UserPlaces {
  /** Each daemon's own. */
  readonly #rankings = new WeakMap<View, Rankings>();

  /** Forecasts are other ones after each run, also of users of whom nothing new was stored. */
  async revision(view: View): Promise<string> {
    const runs = await Promise.all(view.accounts().map((name) => runOf(view, name)));
    return [view.revision(['users']), ...runs].join(' ');
  }

  /** Up to one more than the limit, after the place where the last page ended. */
  async after(
    view: View,
    { accounts, limit }: PageRequest,
    after: Standing | null,
    filter: Filter & { readonly sort: UserSort },
  ): Promise<UserPlace[]> {
    const first = new First(limit + 1);
    for (const account of accounts) {
      for (const [index, ranked] of (await this.#ranked(view, account)).entries()) {
        if (index % SLICE === SLICE - 1) await setImmediate();
        if (!isWanted(ranked.isDeleted, (type) => ranked.states[type], filter)) continue;
        const rank = filter.sort === 'id' ? 0 : Math.min(...filter.types.map((type) => ranked.outAt[type]));
        const place = { rank, account, id: ranked.id };
        if (after === null || compare(after, place) < 0) first.offer(place);
      }
    }
    return first
      .take()
      .map((place) => ({ ...place, position: { account: place.account, id: idOf(place, filter.sort) } }));
  }

  async summary(view: View, asked: readonly string[]) {
    const rows = [];
    for (const account of accountsOf(asked, view)) {
      const kept = (await this.#ranked(view, account)).filter(({ isDeleted }) => !isDeleted);
      const found = accountWith(view, account, 'proxy_users');
      if (!found) continue;
      // Half a listing counts nobody right.
      const isListed = (await found.store.users.listing(account)).countedAt !== null;
      for (const product_type of METERED_TYPES) {
        const states = isListed ? countByState(kept, product_type) : null;
        rows.push({ account, product_type, users: isListed ? kept.length : null, states });
      }
    }
    return rows;
  }

  async #ranked(view: View, account: string): Promise<readonly Ranked[]> {
    const found = accountWith(view, account, 'proxy_users');
    if (!found) return [];
    const { settings, store, userOptions: options, clock } = found;
    const rankings = this.#rankings.get(view) ?? new Rankings();
    this.#rankings.set(view, rankings);
    return rankings.of({ account: settings, options, store, clock }, await runOf(view, account));
  }
}

const countByState = (
  users: readonly Ranked[],
  type: MeteredType,
): Record<QuotaState | 'unknown', number> => {
  const none = Object.fromEntries(QUOTA_STATES.map((state) => [state, 0])) as Record<QuotaState, number>;
  const counts = { ...none, unknown: 0 };
  for (const { states } of users) counts[states[type] ?? 'unknown'] += 1;
  return counts;
};

/** Changes with each run of the account's collector, and with the configuration. */
const runOf = async (view: View, account: string): Promise<string> => {
  const found = accountWith(view, account, 'proxy_users');
  const runs = (await found?.store.runs.states(account)) ?? [];
  const last = runs.find(({ collector }) => collector === 'proxy_users');
  return `${view.revision([])} ${last?.finishedAt ?? ''}`;
};

/** The first few of many, without sorting all of them. */
class First {
  readonly #size: number;
  #places: Standing[] = [];
  /** Who stands behind it is not among the first. */
  #last: Standing | undefined;

  constructor(size: number) {
    this.#size = size;
  }

  offer(place: Standing): void {
    if (this.#last && compare(place, this.#last) > 0) return;
    this.#places.push(place);
    if (this.#places.length > 4 * this.#size + 1_000) this.take();
  }

  take(): Standing[] {
    this.#places = this.#places.sort(compare).slice(0, this.#size);
    if (this.#places.length === this.#size) this.#last = this.#places.at(-1);
    return this.#places;
  }
}

const idOf = ({ rank, id }: Standing, sort: UserSort): string => (sort === 'id' ? id : `${rank}\n${id}`);

const compare = (one: Standing, other: Standing): number =>
  compareBy(one.rank, other.rank) || compareBy(one.account, other.account) || compareBy(one.id, other.id);

const compareBy = <T extends string | number>(one: T, other: T): number =>
  one === other ? 0 : one < other ? -1 : 1;
