// Sorts proxies by their turn: the longest untested first.

import { hash } from 'node:crypto';

export interface Turn {
  readonly id: string;
  /** When the proxy was last tested (ms); null if it never was. */
  readonly lastTestedAt: number | null;
}

/**
 * Sorts the longest untested first. Proxies that were never tested come in an arbitrary order, which they keep from then
 * on. This separates neighbours in the configuration, so a batch is a fair sample of all proxies. The attribution of
 * faults relies on that. `orderOfTies` returns what those are sorted by that were tested at the same time.
 */
export const sortByLastTest = <P extends Turn>(
  proxies: readonly P[],
  orderOfTies: (turn: Turn) => string = ({ id }) => id,
): P[] =>
  proxies
    .map((proxy) => {
      const { id, lastTestedAt } = proxy;
      return lastTestedAt === null
        ? { proxy, since: Number.NEGATIVE_INFINITY, tieBreaker: hash('sha1', id) }
        : { proxy, since: lastTestedAt, tieBreaker: orderOfTies(proxy) };
    })
    .sort((a, b) => (a.since === b.since ? (a.tieBreaker < b.tieBreaker ? -1 : 1) : a.since - b.since))
    .map(({ proxy }) => proxy);

/** An order that is another one at each time, so that none is always the first of those that share a transaction. */
export const shuffledByTime = ({ id, lastTestedAt }: Turn): string => hash('sha1', `${lastTestedAt}${id}`);
