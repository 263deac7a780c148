// Keeps a list of an account's users with their quota states and the times at which they run out of bytes. The list is
// computed once after each run of the collector, because each run changes every forecast, and serves all pages.

import type { MeteredType } from '../../lib/product-types.ts';
import type { ReadContext } from '../context.ts';
import type { ProxyUserOptions } from './options.ts';
import type { QuotaState, QuotaStatus } from './quota-status.ts';
import { userStatusPages } from './user-pages.ts';

/** The data that a user is filtered and sorted by. */
export interface RankedUser {
  readonly id: string;
  readonly isDeleted: boolean;
  readonly states: Readonly<Record<MeteredType, QuotaState | undefined>>;
  /** When the user runs out of bytes (ms): 0 if it already has, and infinite if there is no forecast. */
  readonly exhaustedAt: Readonly<Record<MeteredType, number>>;
}

type Context = ReadContext<ProxyUserOptions>;

export class RankedUsersCache {
  readonly #cache = new Map<string, { readonly revision: string; readonly users: Promise<RankedUser[]> }>();

  /** Returns the users in the order of their ids. They are read again when the `revision` has changed. */
  get(context: Context, revision: string): Promise<RankedUser[]> {
    const { name } = context.account;
    const cached = this.#cache.get(name);
    if (cached?.revision === revision) return cached.users;
    const users = readRankedUsers(context);
    this.#cache.set(name, { revision, users });
    // Callers that wait for this list get the error. The next call reads the users again.
    users.catch(() => this.#cache.delete(name));
    return users;
  }

  /** Forgets the users of all other accounts, which a reload removed. */
  keep(accounts: readonly string[]): void {
    for (const name of this.#cache.keys()) if (!accounts.includes(name)) this.#cache.delete(name);
  }
}

const readRankedUsers = async (context: Context): Promise<RankedUser[]> => {
  const ranked: RankedUser[] = [];
  for await (const page of userStatusPages(context)) {
    for (const { user, statuses } of page) {
      const { residential, mobile } = statuses;
      ranked.push({
        ...{ id: user.id, isDeleted: user.isDeleted },
        states: { residential: residential.state, mobile: mobile.state },
        exhaustedAt: { residential: exhaustionTimeOf(residential), mobile: exhaustionTimeOf(mobile) },
      });
    }
  }
  return ranked;
};

const exhaustionTimeOf = ({ state, exhaustedAt }: QuotaStatus): number =>
  state === 'exhausted' ? 0 : (exhaustedAt ?? Number.POSITIVE_INFINITY);
