// Keeps rankings of users until the use changes, because adding up the rows of 100,000 users takes a while.

import type { RankingRequest, UseRanking, UserUseStore } from '../../../store/user-use-store.ts';
import type { DaemonView } from '../../daemon-view.ts';

/** An answer has at most as many users. */
const USERS = 1_000;
/** Of one account, so that a request about many accounts finds all its rankings again. Each takes some 100 kB. */
const MAX_RANKINGS = 5;

/** Readings are cached for as long as this has the same revision. */
export type Revised = Pick<DaemonView, 'revision'>;

type Rankings = Map<string, Promise<UseRanking>>;

interface Cached {
  readonly revision: string;
  readonly byAccount: Map<string, Rankings>;
}

export class RankingCache {
  readonly #cached = new WeakMap<Revised, Cached>();

  /** Requests for the same ranking share one reading. */
  read(
    view: Revised,
    revision: string,
    { userUse }: { readonly userUse: Pick<UserUseStore, 'ranking'> },
    account: string,
    request: Omit<RankingRequest, 'limit'>,
  ): Promise<UseRanking> {
    const rankings = this.#rankingsOf(view, revision, account);
    const key = JSON.stringify(request);
    const known = rankings.get(key);
    if (known) return known;
    const ranking = userUse.ranking(account, { ...request, limit: USERS });
    rankings.set(key, ranking);
    ranking.catch(() => rankings.delete(key));
    const [oldest] = rankings.keys();
    if (rankings.size > MAX_RANKINGS && oldest !== undefined) rankings.delete(oldest);
    return ranking;
  }

  #rankingsOf(view: Revised, revision: string, account: string): Rankings {
    let cached = this.#cached.get(view);
    if (cached?.revision !== revision) cached = { revision, byAccount: new Map() };
    this.#cached.set(view, cached);
    const rankings: Rankings = cached.byAccount.get(account) ?? new Map();
    cached.byAccount.set(account, rankings);
    return rankings;
  }
}
