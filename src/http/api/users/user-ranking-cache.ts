// Keeps the newest rankings of users by their use. They change once an hour, and each reads the rows of all users.

import type { RankingRequest, UseRanking, UserUseStore } from '../../../store/user-use-store.ts';
import type { DaemonView } from '../../daemon-view.ts';

/** An answer has at most as many users. */
const USERS = 1_000;
/** Of one account, so that a request about many accounts finds all its rankings again. Each takes some 100 kB. */
const MAX_RANKINGS = 5;

type Rankings = Map<string, Promise<UseRanking>>;

interface Cached {
  readonly revision: string;
  readonly byAccount: Map<string, Rankings>;
}

export class RankingCache {
  readonly #cached = new WeakMap<DaemonView, Cached>();

  /** Requests for the same ranking share one reading. */
  read(
    view: DaemonView,
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

  #rankingsOf(view: DaemonView, revision: string, account: string): Rankings {
    let cached = this.#cached.get(view);
    if (cached?.revision !== revision) cached = { revision, byAccount: new Map() };
    this.#cached.set(view, cached);
    const rankings: Rankings = cached.byAccount.get(account) ?? new Map();
    cached.byAccount.set(account, rankings);
    return rankings;
  }
}
