// Whether all use of a user that is seen for the first time counts, or is its starting point.

import type { Listing } from '../../listing.ts';
import type { UserObservation } from '../../user-store.ts';
import type { Database } from '../file/database.ts';

export interface NewUsers {
  /**
   * After a complete listing every user that appears is new. Before one, only a user created since polling began is new.
   * That rests on the provider's times, which are not used if they put any traffic into the future.
   */
  rule(
    accountId: number,
    listing: Listing,
    startedAt: number,
    now: number,
    bornAt?: (user: UserObservation) => number | null,
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
    rule: (accountId, { baselinedAt, beganAt }, startedAt, now, bornAt = () => null) => {
      if (baselinedAt !== null) return () => true;
      const since = beganAt ?? startedAt;
      return (user) => {
        const at = bornAt(user);
        return at !== null && at >= since && at <= now && hasTrafficAfter.get(accountId, now) === undefined;
      };
    },
  };
};
