// Statements of the newest failed test results.

import { DAY } from '../../../lib/time.ts';
import type { RecentFailure, TestStore } from '../../test-store.ts';
import type { Database } from '../file/database.ts';
import type { NumberedBatch } from './test-batch.ts';

const KEPT_MS = 7 * DAY;
/** Kept of an account: an outage of the provider is 20,000 an hour. */
const MAX_FAILURES = 10_000;

export interface RecentFailures {
  /** Inside a transaction. */
  add(batch: NumberedBatch): void;
  readonly readings: Pick<TestStore, 'recentFailures'>;
}

export const createRecentFailures = (db: Database): RecentFailures => {
  const { sql } = db;
  const newest = sql
    .prepare<[number], number | null>('SELECT max(number) FROM recent_failure WHERE account_id = ?')
    .pluck();
  const insert = sql.prepare('INSERT INTO recent_failure VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  // They come in order of time: those before the first that is young enough are too old.
  const forget = sql.prepare(
    `DELETE FROM recent_failure WHERE account_id = @accountId AND number < max(@first, coalesce(
       (SELECT number FROM recent_failure WHERE account_id = @accountId AND at >= @oldest ORDER BY number LIMIT 1),
       @next))`,
  );
  const newestOf = sql.prepare<[number, number], RecentFailure>(
    `SELECT at, p.text AS proxy, u.text AS url, t.text AS tester, error_source AS errorSource, error_code AS errorCode
     FROM recent_failure JOIN subject p ON p.id = proxy JOIN subject u ON u.id = url JOIN subject t ON t.id = tester
     WHERE account_id = ? ORDER BY number DESC LIMIT ?`,
  );

  return {
    add: ({ accountId, results, now }) => {
      let number = newest.get(accountId) ?? 0;
      for (const { proxy, url, tester, isSuccessful, errorSource, errorCode } of results) {
        if (isSuccessful) continue;
        number += 1;
        insert.run(accountId, number, now, proxy, url, tester, errorSource, errorCode);
      }
      const next = number + 1;
      forget.run({ accountId, oldest: now - KEPT_MS, first: next - MAX_FAILURES, next });
    },
    readings: {
      recentFailures: async (account, limit) =>
        db.read(() => newestOf.all(db.knownAccountId(account), limit)),
    },
  };
};
