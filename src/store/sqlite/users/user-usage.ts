// Statements of the growth of all proxy users' used bytes, listing by listing.

import { METERED_TYPES, type MeteredType } from '../../../lib/product-types.ts';
import type { Listing } from '../../listing.ts';
import type { UsagePeriod } from '../../user-store.ts';
import type { Database } from '../file/database.ts';

export type UsageGrowth = Record<MeteredType, number>;

export interface UserUsage {
  /** Notes what a page of the listing begun at `startedAt` (ms) added. Inside its transaction. */
  add(accountId: number, listing: Listing, startedAt: number, growth: UsageGrowth): void;
  periods(accountId: number, from: number, to: number): UsagePeriod[];
}

export const createUserUsage = ({ sql }: Database): UserUsage => {
  const put = sql.prepare(
    `INSERT INTO user_usage (account_id, tier, until, product_type, since, bytes) VALUES (?, 'raw', ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes`,
  );
  const periodsIn = sql.prepare<[number, number, number], UsagePeriod>(
    `SELECT since, until, product_type AS productType, bytes FROM user_usage
     WHERE account_id = ? AND tier IN ('raw', 'hourly', 'daily') AND until > ? AND until <= ?
     ORDER BY until, product_type`,
  );
  return {
    add: (accountId, { countedStartedAt, storedAt }, startedAt, growth) => {
      // The first page makes the rows, also when it adds nothing: the next listing's period begins with this one.
      const isFirst = countedStartedAt !== null && storedAt !== startedAt;
      // Each user was seen by the listing that counted last. Before one, some may not have been seen at all.
      const since = Math.min(countedStartedAt ?? startedAt, storedAt ?? startedAt, startedAt);
      for (const type of METERED_TYPES) {
        if (isFirst || growth[type] !== 0) put.run(accountId, startedAt, type, since, growth[type]);
      }
    },
    periods: (accountId, from, to) => periodsIn.all(accountId, from, to),
  };
};
