// Counts failed results and response times by proxy, URL, tester and error.

import type { ProxyTestResult } from '../../test-history-store.ts';
import { RESPONSE_TIME_BOUNDS_MS, type ResponseTimes, type TestStore } from '../../test-store.ts';
import type { Database } from '../file/database.ts';
import type { RowOf } from '../row.ts';
import { groupBy, type KnownSubjects, OVERFLOW_NAME, type ResolvedBatch } from './subjects.ts';

export const createFailureCounts = (db: Database) => {
  const { sql } = db;
  const addFailures = sql.prepare(
    `INSERT INTO test_failure VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count`,
  );
  const addErrors = sql.prepare(
    `INSERT INTO test_error VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count`,
  );
  const knownErrors = sql.prepare<[number], TestError>(
    'SELECT DISTINCT error_source AS source, error_code AS code FROM test_error WHERE account_id = ?',
  );

  const add = ({ accountId, results, heldUntil }: ResolvedBatch): void => {
    const failed = results.filter(({ isSuccessful }) => !isSuccessful);
    if (failed.length === 0) return;
    const limitError = createErrorLimit(knownErrors.all(accountId));
    const errors = failed.map((result) => ({ ...result, ...limitError(result) }));
    for (const group of groupBy(errors, ({ proxy, source }) => `${proxy} ${source}`)) {
      const [{ proxy, source }] = group;
      addFailures.run(accountId, proxy, source, group.length, heldUntil);
    }
    for (const group of groupBy(errors, (error) =>
      [error.url, error.tester, error.source, error.code].join(' '),
    )) {
      const [{ url, tester, source, code }] = group;
      addErrors.run(accountId, url, tester, source, code, group.length, heldUntil);
    }
  };

  return {
    /** Must run inside a transaction. */
    add,
    queries: {
      failures: db.rowsOf(
        `SELECT p.text AS proxy, error_source AS errorSource, count, held_until AS heldUntil
         FROM test_failure JOIN subject p ON p.id = proxy WHERE account_id = ? ORDER BY p.text, error_source`,
      ),
      errors: db.rowsOf(
        `SELECT u.text AS url, t.text AS tester, error_source AS errorSource, error_code AS errorCode, count,
           held_until AS heldUntil
         FROM test_error JOIN subject u ON u.id = url JOIN subject t ON t.id = tester
         WHERE account_id = ? ORDER BY u.text, t.text, error_source, error_code`,
      ),
    } satisfies Pick<TestStore, 'failures' | 'errors'>,
  };
};

/** The limit of an account. The provider has over a hundred codes, but few of them occur. */
const MAX_ERRORS = 50;
const MAX_SOURCES = 10;
const UNKNOWN = 'unknown';

interface TestError {
  readonly source: string;
  readonly code: string;
}

/** Returns a function that names an error. The first ones and the `known` ones keep their names; all others share one. */
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

/** An upper bound of ids, so that one number can be the key of two ids. Text keys take longer than writing the rows. */
const MAX_SUBJECT_ID = 2 ** 26;

/** The stored counts of a URL × tester that never succeeded. */
export const NO_COUNTS = '[]';

export const createUrlTesters = (db: Database) => {
  const { sql, prepareValue } = db;
  const pairsOf = sql.prepare<[number], { url: number; tester: number }>(
    'SELECT url, tester FROM url_tester WHERE account_id = ?',
  );
  const countsOf = prepareValue<[number, number, number], string>(
    'SELECT counts FROM url_tester WHERE account_id = ? AND url = ? AND tester = ?',
  );
  // A histogram begins with the first success, so it is held from then on.
  const put = sql.prepare(
    `INSERT INTO url_tester VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
       at = excluded.at, counts = excluded.counts, sum_ms = sum_ms + excluded.sum_ms,
       count = count + excluded.count, held_until = iif(counts = '${NO_COUNTS}', excluded.held_until, held_until)`,
  );

  return {
    known: (accountId: number): KnownSubjects => {
      const pairs = pairsOf.all(accountId);
      const urls = new Set(pairs.map(({ url }) => url));
      return { urls, testers: new Set(pairs.map(({ tester }) => tester)) };
    },
    /** Must run inside a transaction. */
    add: ({ accountId, results, now, heldUntil }: ResolvedBatch): void => {
      for (const group of groupBy(results, ({ url, tester }) => url * MAX_SUBJECT_ID + tester)) {
        const [{ url, tester }] = group;
        const times = group.flatMap(({ isSuccessful, responseTimeMs }) =>
          isSuccessful && responseTimeMs !== null ? responseTimeMs : [],
        );
        const before = countsOf.get(accountId, url, tester) ?? NO_COUNTS;
        const counts = times.length === 0 ? before : withTimes(before, times);
        put.run(accountId, url, tester, now, counts, sumOf(times), times.length, heldUntil);
      }
    },
    queries: {
      responseTimes: db.rowsOf(
        `SELECT u.text AS url, t.text AS tester, counts, sum_ms AS sumMs, count, held_until AS heldUntil
         FROM url_tester JOIN subject u ON u.id = url JOIN subject t ON t.id = tester
         WHERE account_id = ? AND counts <> '${NO_COUNTS}' ORDER BY u.text, t.text`,
        withCounts<RowOf<ResponseTimes>>,
      ),
    } satisfies Pick<TestStore, 'responseTimes'>,
  };
};

export type UrlTesters = ReturnType<typeof createUrlTesters>;

/** Returns the stored counts of a histogram with further times (ms). */
export const withTimes = (counts: string, timesMs: readonly number[]): string => {
  const before: number[] = JSON.parse(counts);
  return JSON.stringify(
    RESPONSE_TIME_BOUNDS_MS.map(
      (bound, index) => (before[index] ?? 0) + timesMs.filter((time) => time <= bound).length,
    ),
  );
};

export const withCounts = <R extends { readonly counts: string }>(row: R) => ({
  ...row,
  counts: JSON.parse(row.counts) as number[],
});

export const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
