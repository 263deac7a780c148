// Stores the newest failed test results.

import type { RecentFailure, TestStore } from '../../test-store.ts';
import type { Database } from '../file/database.ts';
import { FAILURES_RETENTION_MS, MAX_FAILURES } from './retention.ts';
import type { ResolvedBatch } from './test-batch.ts';

export interface RecentFailures {
  /** Must run inside a transaction. */
  add(batch: ResolvedBatch): void;
  readonly queries: Pick<TestStore, 'recentFailures'>;
}

export const createRecentFailures = (db: Database): RecentFailures => {
  const { sql } = db;
  const newestNumber = sql
    .prepare<[number], number | null>('SELECT max(number) FROM recent_failure WHERE account_id = ?')
    .pluck();
  const insert = sql.prepare('INSERT INTO recent_failure VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  // Rows are in order of time, so all rows before the first one within the retention are too old.
  const deleteOld = sql.prepare(
    `DELETE FROM recent_failure WHERE account_id = @accountId AND number < max(@first, coalesce(
       (SELECT number FROM recent_failure WHERE account_id = @accountId AND at >= @oldest ORDER BY number LIMIT 1),
       @next))`,
  );
  const newestFailures = sql.prepare<[number, number], RecentFailure>(
    `SELECT at, p.text AS proxy, u.text AS url, t.text AS tester, error_source AS errorSource, error_code AS errorCode
     FROM recent_failure JOIN subject p ON p.id = proxy JOIN subject u ON u.id = url JOIN subject t ON t.id = tester
     WHERE account_id = ? ORDER BY number DESC LIMIT ?`,
  );

  return {
    add: ({ accountId, results, now }) => {
      let number = newestNumber.get(accountId) ?? 0;
      for (const { proxy, url, tester, isSuccessful, errorSource, errorCode } of results) {
        if (isSuccessful) continue;
        number += 1;
        insert.run(accountId, number, now, proxy, url, tester, errorSource, errorCode);
      }
      const next = number + 1;
      deleteOld.run({ accountId, oldest: now - FAILURES_RETENTION_MS, first: next - MAX_FAILURES, next });
    },
    queries: {
      recentFailures: async (account, limit) =>
        db.read(() => newestFailures.all(db.knownAccountId(account), limit)),
    },
  };
};
