// Stores the periods that are missing from the store because an older file replaced it.

import { DAY } from '../../../lib/time.ts';
import type { MissingPeriod } from '../../test-store.ts';
import type { Database } from './database.ts';

/** Older periods do not affect the daily budget of test runs. */
const RETENTION_MS = 2 * DAY;
const MAX_PERIODS = 8;

/** Finds the time of the last write (ms). The slot of a spent test run begins before the run is written. */
const LAST_WRITTEN_AT = `SELECT max(at) FROM (
  SELECT max(finished_at) AS at FROM run UNION ALL SELECT max(stored_at) FROM listing
  UNION ALL SELECT max(read_at) FROM graph UNION ALL SELECT max(at) FROM test_spend)`;

export interface MissingPeriods {
  /** Records the period from the last write to `now` (ms) as missing. Inside a transaction. */
  record(now: number): void;
  /** Returns the periods in which rows of the account may be missing. */
  of(accountId: number): MissingPeriod[];
}

export const createMissingPeriods = ({ sql }: Pick<Database, 'sql'>): MissingPeriods => {
  const lastWritten = sql.prepare<[], number | null>(LAST_WRITTEN_AT).pluck();
  const put = sql.prepare(
    'INSERT INTO missing_period VALUES (?, ?) ON CONFLICT DO UPDATE SET ended_at = max(ended_at, excluded.ended_at)',
  );
  const dropOld = sql.prepare(
    `DELETE FROM missing_period WHERE ended_at < ? OR began_at NOT IN (
       SELECT began_at FROM missing_period ORDER BY ended_at DESC LIMIT ${MAX_PERIODS})`,
  );
  const dropOldOfAccounts = sql.prepare('DELETE FROM account_missing_period WHERE ended_at < ?');
  const find = sql.prepare<[number], MissingPeriod>(
    `SELECT began_at AS "from", ended_at AS "to" FROM missing_period
     UNION SELECT began_at, ended_at FROM account_missing_period WHERE account_id = ?`,
  );
  return {
    record: (now) => {
      // A merge sees by its end that an older file was put back, so it is recorded even if nothing is missing.
      put.run(Math.min(lastWritten.get() ?? now, now), now);
      for (const statement of [dropOld, dropOldOfAccounts]) statement.run(now - RETENTION_MS);
    },
    of: (accountId) => find.all(accountId),
  };
};
