// Keeps the newest rankings of users by their use. They change once an hour, and each reads the rows of all users.

import type { Store } from '../../../store/store.ts';
import type { RankingRequest, UseRanking } from '../../../store/user-use-store.ts';
import type { DaemonView } from '../../daemon-view.ts';

/** An answer has at most as many users. */
const USERS = 1_000;
/** Each has up to 1,000 users: some 100 kB. */
const MAX_RANKINGS = 20;

interface Rankings {
  readonly revision: string;
  readonly byRequest: Map<string, Promise<UseRanking>>;
}

export class RankingCache {
  readonly #rankings = new WeakMap<DaemonView, Rankings>();

  /** Requests for the same ranking share one reading. */
  read(
    view: DaemonView,
    revision: string,
    { userUse }: Pick<Store, 'userUse'>,
    account: string,
    request: Omit<RankingRequest, 'limit'>,
  ): Promise<UseRanking> {
    const { byRequest } = this.#current(view, revision);
    const key = JSON.stringify([account, request]);
    const known = byRequest.get(key);
    if (known) return known;
    const ranking = userUse.ranking(account, { ...request, limit: USERS });
    byRequest.set(key, ranking);
    ranking.catch(() => byRequest.delete(key));
    const [oldest] = byRequest.keys();
    if (byRequest.size > MAX_RANKINGS && oldest !== undefined) byRequest.delete(oldest);
    return ranking;
  }

  #current(view: DaemonView, revision: string): Rankings {
    const known = this.#rankings.get(view);
    if (known?.revision === revision) return known;
    const rankings: Rankings = { revision, byRequest: new Map() };
    this.#rankings.set(view, rankings);
    return rankings;
  }
}
