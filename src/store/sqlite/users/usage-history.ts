// Stores the growth of all proxy users' used bytes for each listing, rolls it up by hour and by day, and deletes the oldest days.

import { METERED_TYPES, type MeteredType } from '../../../lib/product-types.ts';
import { bucketEnd, bucketStart, DAY, HOUR, type Range } from '../../../lib/time.ts';
import type { Listing } from '../../listing.ts';
import type { RetainedAccount, Retention } from '../../store.ts';
import { type UsagePeriod, usageTime } from '../../user-store.ts';
import type { Database } from '../file/database.ts';
import { createExpiry, DELETED_FROM } from '../publication/publication.ts';
import { SLICE_ROWS, type Slice } from '../slices.ts';

export type UsageGrowth = Record<MeteredType, number>;

export const createUserUsage = ({ sql, prepareValue }: Database) => {
  const put = sql.prepare(
    `INSERT INTO user_usage (account_id, resolution, until, product_type, since, bytes) VALUES (?, 'raw', ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes`,
  );
  const periodsIn = sql.prepare<[number, number, number], UsagePeriod>(
    `SELECT since, until, product_type AS productType, bytes FROM user_usage
     WHERE account_id = ? AND resolution IN ('raw', 'hourly', 'daily') AND until > ? AND until <= ?
     ORDER BY until, product_type`,
  );
  const oldestSince = prepareValue<[number], number | null>(
    'SELECT min(since) FROM user_usage WHERE account_id = ?',
  );
  return {
    /** Stores what a page of the listing that began at `startedAt` (ms) added. Must run inside the page's transaction. */
    add: (
      accountId: number,
      { beganAt, ...listing }: Listing,
      startedAt: number,
      growth: UsageGrowth,
    ): void => {
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
    periods: (accountId: number, from: number, to: number): UsagePeriod[] =>
      periodsIn.all(accountId, from, to),
    /** Returns the start of the oldest period (ms); null if there is none. */
    since: (accountId: number): number | null => oldestSince.get(accountId) ?? null,
  };
};

interface RollupStep {
  readonly from: string;
  readonly to: string;
  readonly width: number;
}

const RAW_TO_HOURLY: RollupStep = { from: 'raw', to: 'hourly', width: HOUR };
const HOURLY_TO_DAILY: RollupStep = { from: 'hourly', to: 'daily', width: DAY };

export const createUsageRollup = (db: Database) => {
  const { sql, prepareValue } = db;
  const expire = createExpiry(db);
  const oldest = prepareValue<[number, string], number | null>(
    'SELECT min(until) FROM user_usage WHERE account_id = ? AND resolution = ?',
  );
  const merge = sql.prepare<{ accountId: number; from: string; to: string; start: number; end: number }>(
    `INSERT INTO user_usage (account_id, resolution, until, product_type, since, bytes)
     SELECT account_id, @to, max(until), product_type, min(since), sum(bytes) FROM user_usage
     WHERE account_id = @accountId AND resolution = @from AND until > @start AND until <= @end GROUP BY product_type
     ON CONFLICT DO UPDATE SET since = min(since, excluded.since), bytes = bytes + excluded.bytes`,
  );
  const periods = sql.prepare<[number, string, string, number, number], Pick<UsagePeriod, 'since' | 'until'>>(
    `SELECT since, until FROM user_usage WHERE account_id = ? AND resolution = ? AND product_type = ?
       AND until > ? AND until <= ?`,
  );
  const remove = sql.prepare<[number, string, number, number]>(
    'DELETE FROM user_usage WHERE account_id = ? AND resolution = ? AND until > ? AND until <= ?',
  );
  const oldDaysEnd = prepareValue<
    [number, number],
    number | null
  >(`SELECT max(until) FROM (SELECT until FROM user_usage
         WHERE account_id = ? AND resolution = 'daily' AND until <= ? ORDER BY until LIMIT ${SLICE_ROWS})`);

  const expireIn = (accountId: number, zone: string, resolution: string, { from, to }: Range): void => {
    for (const type of METERED_TYPES)
      expire(
        { accountId, source: 'users', subject: type },
        { from, to },
        (at) =>
          periods.all(accountId, resolution, type, from, to).filter((period) => usageTime(period, zone) >= at)
            .length,
      );
  };

  const removeOldDays = (accountId: number, zone: string, until: number): number => {
    const to = oldDaysEnd.get(accountId, until);
    if (to == null) return 0;
    expireIn(accountId, zone, 'daily', { from: DELETED_FROM, to });
    return remove.run(accountId, 'daily', DELETED_FROM, to).changes;
  };

  /** A period belongs to the hour or day in which it ends, so merged periods follow one another as before. */
  const rollUp = (
    accountId: number,
    zone: string,
    { from, to, width }: RollupStep,
    until: number,
  ): number => {
    let rows = 0;
    while (rows < SLICE_ROWS) {
      const first = oldest.get(accountId, from);
      if (first == null) break;
      const start = bucketStart(zone, first - 1, width);
      const end = bucketEnd(zone, start, width);
      if (end > until) break;
      expireIn(accountId, zone, from, { from: start, to: end });
      merge.run({ accountId, from, to, start, end });
      rows += remove.run(accountId, from, start, end).changes;
    }
    return rows;
  };

  return {
    slices: (
      { name, zone }: RetainedAccount,
      { rawMs, hourlyMs, dailyMs }: Retention,
      now: number,
    ): Slice[] => {
      const accountId = db.knownAccountId(name);
      return [
        () => rollUp(accountId, zone, RAW_TO_HOURLY, now - rawMs),
        () => rollUp(accountId, zone, HOURLY_TO_DAILY, now - hourlyMs),
        () => removeOldDays(accountId, zone, now - dailyMs),
      ];
    },
  };
};
