// Statements of what is summed over test results: failures by proxy, errors and response times by url and tester.

import {
  type ErrorCount,
  type FailureCount,
  RESPONSE_TIME_BOUNDS_MS,
  type ResponseTimes,
  type TestStore,
} from '../test-store.ts';
import type { Database } from './database.ts';
import { grouped, type NumberedBatch, type NumberedResult } from './test-batch.ts';

/** Error codes told apart for an account; the provider knows over a hundred, and each costs series. */
const MAX_ERROR_CODES = 50;
const UNKNOWN = 'unknown';
const OTHER = 'other';

export interface TestTotals {
  /** Inside a transaction. */
  add(batch: NumberedBatch): void;
  readonly readings: Pick<TestStore, 'failures' | 'errors' | 'responseTimes'>;
}

type TimesRow = Omit<ResponseTimes, 'counts'> & { readonly counts: string };

export const createTestTotals = (db: Database): TestTotals => {
  const { sql } = db;
  const addFailures = sql.prepare(
    `INSERT INTO test_failure VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count`,
  );
  const addErrors = sql.prepare(
    `INSERT INTO test_error VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count`,
  );
  const codesOf = sql
    .prepare<[number], string>('SELECT DISTINCT error_code FROM test_error WHERE account_id = ?')
    .pluck();
  const countsOf = sql
    .prepare<[number, number, number], string>(
      'SELECT counts FROM test_response_time WHERE account_id = ? AND url = ? AND tester = ?',
    )
    .pluck();
  const putTimes = sql.prepare(
    `INSERT INTO test_response_time VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
       counts = excluded.counts, sum_ms = sum_ms + excluded.sum_ms, count = count + excluded.count`,
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
  const timesOf = sql.prepare<[number], TimesRow>(
    `SELECT u.text AS url, t.text AS tester, counts, sum_ms AS sumMs, count, held_until AS heldUntil
     FROM test_response_time JOIN subject u ON u.id = url JOIN subject t ON t.id = tester
     WHERE account_id = ? ORDER BY u.text, t.text`,
  );

  const saveFailures = ({ accountId, heldUntil }: NumberedBatch, failed: readonly NumberedResult[]): void => {
    for (const group of grouped(failed, ({ proxy, errorSource }) => `${proxy} ${errorSource}`)) {
      const [{ proxy, errorSource }] = group;
      addFailures.run(accountId, proxy, errorSource ?? UNKNOWN, group.length, heldUntil);
    }
  };
  const saveErrors = ({ accountId, heldUntil }: NumberedBatch, failed: readonly NumberedResult[]): void => {
    const known = new Set(failed.length > 0 ? codesOf.all(accountId) : []);
    for (const group of grouped(failed, errorKey)) {
      const [{ url, tester, errorSource, errorCode }] = group;
      const code = boundedCode(errorCode ?? UNKNOWN, known);
      addErrors.run(accountId, url, tester, errorSource ?? UNKNOWN, code, group.length, heldUntil);
    }
  };
  const saveTimes = ({ accountId, results, heldUntil }: NumberedBatch): void => {
    const timed = results.filter(
      ({ isSuccessful, responseTimeMs }) => isSuccessful && responseTimeMs !== null,
    );
    for (const group of grouped(timed, ({ url, tester }) => `${url} ${tester}`)) {
      const [{ url, tester }] = group;
      const times = group.map(({ responseTimeMs }) => responseTimeMs ?? 0);
      const counts = cumulative(times, countsFrom(countsOf.get(accountId, url, tester)));
      const sumMs = times.reduce((sum, time) => sum + time, 0);
      putTimes.run(accountId, url, tester, JSON.stringify(counts), sumMs, times.length, heldUntil);
    }
  };
  const readAll = async <T>(account: string, read: { all(accountId: number): T[] }): Promise<T[]> =>
    db.read(() => read.all(db.knownAccountId(account)));

  return {
    add: (batch) => {
      const failed = batch.results.filter((result) => !result.isSuccessful);
      saveFailures(batch, failed);
      saveErrors(batch, failed);
      saveTimes(batch);
    },
    readings: {
      failures: (account) => readAll(account, failuresOf),
      errors: (account) => readAll(account, errorsOf),
      responseTimes: async (account) =>
        (await readAll(account, timesOf)).map((row) => ({ ...row, counts: countsFrom(row.counts) })),
    },
  };
};

const errorKey = ({ url, tester, errorSource, errorCode }: NumberedResult): string =>
  `${url} ${tester} ${errorSource} ${errorCode}`;

/** The code itself while few are known; the rest share one. */
const boundedCode = (code: string, known: Set<string>): string => {
  if (!known.has(code) && known.size >= MAX_ERROR_CODES) return OTHER;
  known.add(code);
  return code;
};

const countsFrom = (text: string | undefined): number[] => (text ? JSON.parse(text) : []);

const cumulative = (timesMs: readonly number[], before: readonly number[]): number[] =>
  RESPONSE_TIME_BOUNDS_MS.map(
    (bound, index) => (before[index] ?? 0) + timesMs.filter((time) => time <= bound).length,
  );
