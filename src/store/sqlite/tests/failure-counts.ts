// Counts failed results by proxy, and by URL, tester and error.

import type { ErrorCount, FailureCount, TestStore } from '../../test-store.ts';
import type { Database } from '../file/database.ts';
import { createErrorLimit } from './error-limit.ts';
import { groupResults, type ResolvedBatch, type ResolvedResult } from './test-batch.ts';

export interface FailureCounts {
  /** Must run inside a transaction. */
  add(batch: ResolvedBatch): void;
  readonly queries: Pick<TestStore, 'failures' | 'errors'>;
}

export const createFailureCounts = (db: Database): FailureCounts => {
  const { sql } = db;
  const addFailures = sql.prepare(
    `INSERT INTO test_failure VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count`,
  );
  const addErrors = sql.prepare(
    `INSERT INTO test_error VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count`,
  );
  const knownErrors = sql.prepare<[number], { source: string; code: string }>(
    'SELECT DISTINCT error_source AS source, error_code AS code FROM test_error WHERE account_id = ?',
  );
  const failuresOf = sql.prepare<[number], FailureCount>(
    `SELECT p.text AS proxy, error_source AS errorSource, count, held_until AS heldUntil
     FROM test_failure JOIN subject p ON p.id = proxy WHERE account_id = ? ORDER BY p.text, error_source`,
  );
  const errorsOf = sql.prepare<[number], ErrorCount>(
    `SELECT u.text AS url, t.text AS tester, error_source AS errorSource, error_code AS errorCode, count,
       held_until AS heldUntil
     FROM test_error JOIN subject u ON u.id = url JOIN subject t ON t.id = tester
     WHERE account_id = ? ORDER BY u.text, t.text, error_source, error_code`,
  );

  const add = ({ accountId, results, heldUntil }: ResolvedBatch): void => {
    const failed = results.filter(({ isSuccessful }) => !isSuccessful);
    if (failed.length === 0) return;
    const limitError = createErrorLimit(knownErrors.all(accountId));
    const errors = failed.map((result) => ({ ...result, ...limitError(result) }));
    for (const group of groupResults(errors, ({ proxy, source }) => `${proxy} ${source}`)) {
      const [{ proxy, source }] = group;
      addFailures.run(accountId, proxy, source, group.length, heldUntil);
    }
    for (const group of groupResults(errors, errorKey)) {
      const [{ url, tester, source, code }] = group;
      addErrors.run(accountId, url, tester, source, code, group.length, heldUntil);
    }
  };
  const readAll = async <T>(account: string, read: { all(accountId: number): T[] }): Promise<T[]> =>
    db.read(() => read.all(db.knownAccountId(account)));

  return {
    add,
    queries: {
      failures: (account) => readAll(account, failuresOf),
      errors: (account) => readAll(account, errorsOf),
    },
  };
};

const errorKey = ({ url, tester, source, code }: ResolvedResult & { source: string; code: string }): string =>
  `${url} ${tester} ${source} ${code}`;
