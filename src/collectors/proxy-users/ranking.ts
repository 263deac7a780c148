// The users of an account in the order in which they run out of bytes, and how they stand to their limits: found out
// once after each run of the collector, since every forecast is another one then, and kept for the pages of it.

import type { MeteredType } from '../../lib/product-types.ts';
import type { ReadContext } from '../context.ts';
import type { ProxyUserOptions } from './options.ts';
import type { QuotaStanding, QuotaState } from './quota.ts';
import { standingPages } from './standings.ts';

/** One user's place. */
export interface Ranked {
  readonly id: string;
  readonly isDeleted: boolean;
  readonly states: Readonly<Record<MeteredType, QuotaState | undefined>>;
  /** When the user is out of bytes (ms): 0 when it is already; infinite where that is not foreseen. */
  readonly outAt: Readonly<Record<MeteredType, number>>;
}

type Context = ReadContext<ProxyUserOptions>;

export class Rankings {
  readonly #known = new Map<string, { readonly revision: string; readonly users: Promise<Ranked[]> }>();

  /** By id, as of the `revision`: another one has them read anew. */
  of(context: Context, revision: string): Promise<Ranked[]> {
    const { name } = context.account;
    const known = this.#known.get(name);
    if (known?.revision === revision) return known.users;
    const users = rank(context);
    this.#known.set(name, { revision, users });
    // Who waits for it hears of the error; the next one asks again.
    users.catch(() => this.#known.delete(name));
    return users;
  }
}

const rank = async (context: Context): Promise<Ranked[]> => {
  const ranked: Ranked[] = [];
  for await (const page of standingPages(context)) {
    for (const { user, standings } of page) {
      const { residential, mobile } = standings;
      ranked.push({
        ...{ id: user.id, isDeleted: user.isDeleted },
        states: { residential: residential.state, mobile: mobile.state },
        outAt: { residential: outAtOf(residential), mobile: outAtOf(mobile) },
      });
    }
  }
  return ranked;
};

const outAtOf = ({ state, exhaustedAt }: QuotaStanding): number =>
  state === 'exhausted' ? 0 : (exhaustedAt ?? Number.POSITIVE_INFINITY);
