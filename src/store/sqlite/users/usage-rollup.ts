// Merges the growth of proxy users' bytes by hour and by day, and deletes the oldest days.

import { bucketEnd, bucketStart, DAY, HOUR } from '../../../lib/time.ts';
import type { KeptAccount, Retention } from '../../maintenance.ts';
import type { Database } from '../file/database.ts';
import { SLICE_ROWS, type Slice } from '../slices.ts';

interface Step {
  readonly from: string;
  readonly to: string;
  readonly width: number;
}

const HOURS: Step = { from: 'raw', to: 'hourly', width: HOUR };
const DAYS: Step = { from: 'hourly', to: 'daily', width: DAY };

export interface UsageTiers {
  slices(account: KeptAccount, retention: Retention, now: number): Slice[];
}

export const createUsageTiers = (db: Database): UsageTiers => {
  const { sql } = db;
  const oldest = sql
    .prepare<[number, string], number | null>(
      'SELECT min(until) FROM user_usage WHERE account_id = ? AND tier = ?',
    )
    .pluck();
  const merge = sql.prepare<{ accountId: number; from: string; to: string; start: number; end: number }>(
    `INSERT INTO user_usage (account_id, tier, until, product_type, since, bytes)
     SELECT account_id, @to, max(until), product_type, min(since), sum(bytes) FROM user_usage
     WHERE account_id = @accountId AND tier = @from AND until > @start AND until <= @end GROUP BY product_type
     ON CONFLICT DO UPDATE SET since = min(since, excluded.since), bytes = bytes + excluded.bytes`,
  );
  const remove = sql.prepare<[number, string, number, number]>(
    'DELETE FROM user_usage WHERE account_id = ? AND tier = ? AND until > ? AND until <= ?',
  );
  const removeDays = sql.prepare<[number, number]>(
    `DELETE FROM user_usage WHERE account_id = ? AND tier = 'daily' AND until <= ? LIMIT ${SLICE_ROWS}`,
  );

  /** A period belongs to the hour or day in which it ends: merged ones follow one another as they did before. */
  const rollUp = (accountId: number, zone: string, { from, to, width }: Step, until: number): number => {
    let rows = 0;
    while (rows < SLICE_ROWS) {
      const first = oldest.get(accountId, from);
      if (first == null) break;
      const start = bucketStart(zone, first - 1, width);
      const end = bucketEnd(zone, start, width);
      if (end > until) break;
      merge.run({ accountId, from, to, start, end });
      rows += remove.run(accountId, from, start, end).changes;
    }
    return rows;
  };

  return {
    slices: ({ name, zone }, { rawMs, hourlyMs, dailyMs }, now) => {
      const accountId = db.knownAccountId(name);
      return [
        () => rollUp(accountId, zone, HOURS, now - rawMs),
        () => rollUp(accountId, zone, DAYS, now - hourlyMs),
        () => removeDays.run(accountId, now - dailyMs).changes,
      ];
    },
  };
};
