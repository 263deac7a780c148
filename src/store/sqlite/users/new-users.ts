// Decides whether all use of a newly observed user counts, or is its starting point.

import type { Listing } from '../../listing.ts';
import type { UserObservation } from '../../user-store.ts';
import type { Database } from '../file/database.ts';

export interface NewUsers {
  /**
   * Returns whether a newly observed user is new. After a complete listing, every such user is new. Before one, only a
   * user created since polling began is new. That depends on the provider's times, which are ignored if any traffic of
   * the account lies in the future.
   */
  rule(
    accountId: number,
    listing: Listing,
    startedAt: number,
    now: number,
    createdAt?: (user: UserObservation) => number | null,
  ): (user: UserObservation) => boolean;
}

export const createNewUsers = ({ sql }: Database): NewUsers => {
  const hasTrafficAfter = sql
    .prepare<[number, number], number>(
      `SELECT 1 FROM graph WHERE account_id = ?
         AND EXISTS (SELECT 1 FROM bucket WHERE graph_id = graph.id AND at > ? AND (bytes > 0 OR requests > 0)) LIMIT 1`,
    )
    .pluck();
  return {
    rule: (accountId, { baselinedAt, beganAt }, startedAt, now, createdAt = () => null) => {
      if (baselinedAt !== null) return () => true;
      const since = beganAt ?? startedAt;
      return (user) => {
        const at = createdAt(user);
        return at !== null && at >= since && at <= now && hasTrafficAfter.get(accountId, now) === undefined;
      };
    },
  };
};
