// Sorts proxies by their turn: the longest untested first.

import { hash } from 'node:crypto';

export interface Turn {
  readonly id: string;
  /** When the proxy was last tested (ms); null if it never was. */
  readonly lastTestedAt: number | null;
}

/**
 * Sorts the longest untested first. Proxies that were last tested at the same time, or never, come in an arbitrary order,
 * which is another one for each time. So none of them is always the first. The order also separates neighbours in the
 * configuration, so a batch is a fair sample of all proxies. The attribution of faults relies on that.
 */
export const sortByLastTest = <P extends Turn>(proxies: readonly P[]): P[] =>
  proxies
    .map((proxy) => {
      const { id, lastTestedAt } = proxy;
      const since = lastTestedAt ?? Number.NEGATIVE_INFINITY;
      return { proxy, since, tieBreaker: hash('sha1', `${lastTestedAt ?? ''}${id}`) };
    })
    .sort((a, b) => (a.since === b.since ? (a.tieBreaker < b.tieBreaker ? -1 : 1) : a.since - b.since))
    .map(({ proxy }) => proxy);
