// Stores the growth of all proxy users' used bytes for each listing.

import { METERED_TYPES, type MeteredType } from '../../../lib/product-types.ts';
import type { Listing } from '../../listing.ts';
import type { UsagePeriod } from '../../user-store.ts';
import type { Database } from '../file/database.ts';

export type UsageGrowth = Record<MeteredType, number>;

export interface UserUsage {
  /** Stores what a page of the listing that began at `startedAt` (ms) added. Must run inside the page's transaction. */
  add(accountId: number, listing: Listing, startedAt: number, growth: UsageGrowth): void;
  periods(accountId: number, from: number, to: number): UsagePeriod[];
  /** Returns the start of the oldest period (ms); null if there is none. */
  since(accountId: number): number | null;
}

export const createUserUsage = ({ sql }: Database): UserUsage => {
  const put = sql.prepare(
    `INSERT INTO user_usage (account_id, resolution, until, product_type, since, bytes) VALUES (?, 'raw', ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes`,
  );
  const periodsIn = sql.prepare<[number, number, number], UsagePeriod>(
    `SELECT since, until, product_type AS productType, bytes FROM user_usage
     WHERE account_id = ? AND resolution IN ('raw', 'hourly', 'daily') AND until > ? AND until <= ?
     ORDER BY until, product_type`,
  );
  const oldestSince = sql
    .prepare<[number], number | null>('SELECT min(since) FROM user_usage WHERE account_id = ?')
    .pluck();
  return {
    add: (accountId, { beganAt, ...listing }, startedAt, growth) => {
      // The listings of an older epoch are no start of a period, because growth since then is part of the baseline.
      const inEpoch = (at: number | null): number | null =>
        at !== null && beganAt !== null && at >= beganAt ? at : null;
      const [countedStartedAt, storedAt] = [inEpoch(listing.countedStartedAt), inEpoch(listing.storedAt)];
      // The first page creates the rows even if it adds nothing, because the next period begins with this listing.
      const isFirst = countedStartedAt !== null && storedAt !== startedAt;
      // The newest counted listing observed every user. Before it, some users may not have been observed at all.
      const since = Math.min(countedStartedAt ?? startedAt, storedAt ?? startedAt, startedAt);
      for (const type of METERED_TYPES) {
        if (isFirst || growth[type] !== 0) put.run(accountId, startedAt, type, since, growth[type]);
      }
    },
    periods: (accountId, from, to) => periodsIn.all(accountId, from, to),
    since: (accountId) => oldestSince.get(accountId) ?? null,
  };
};
