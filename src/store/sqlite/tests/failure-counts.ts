// Counts failed results by proxy, and by URL, tester and error.

import type { ErrorCount, FailureCount, ProxyTestResult, TestStore } from '../../test-store.ts';
import type { Database } from '../file/database.ts';
import { groupResults, OVERFLOW_NAME, type ResolvedBatch, type ResolvedResult } from './subjects.ts';

interface FailureCounts {
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

/** The limit of an account. The provider has over a hundred codes, but few of them occur. */
const MAX_ERRORS = 50;
const MAX_SOURCES = 10;
const UNKNOWN = 'unknown';

interface TestError {
  readonly source: string;
  readonly code: string;
}

/**
 * Returns a function that names the error of a result. The first errors keep their own names, also the `known` ones.
 * Errors beyond the limits share one name.
 */
const createErrorLimit = (
  known: readonly TestError[],
): ((result: Pick<ProxyTestResult, 'errorSource' | 'errorCode'>) => TestError) => {
  const sources = new Set(known.map(({ source }) => source));
  const errors = new Set(known.map(keyOf));
  return ({ errorSource, errorCode }) => {
    const source = limitName(errorSource ?? UNKNOWN, errorSource ?? UNKNOWN, sources, MAX_SOURCES);
    const code = errorCode ?? UNKNOWN;
    return { source, code: limitName(code, keyOf({ source, code }), errors, MAX_ERRORS) };
  };
};

const keyOf = ({ source, code }: TestError): string => `${source} ${code}`;

const limitName = (name: string, key: string, known: Set<string>, max: number): string => {
  if (!known.has(key) && known.size >= max) return OVERFLOW_NAME;
  known.add(key);
  return name;
};
