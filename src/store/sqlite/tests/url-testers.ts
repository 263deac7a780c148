// Stores for each URL × tester its response times, and the time of its last result.

import { RESPONSE_TIME_BOUNDS_MS, type ResponseTimes, type TestStore } from '../../test-store.ts';
import type { Database } from '../file/database.ts';
import { prepareValue } from '../row.ts';
import { groupResults, type KnownSubjects, type ResolvedBatch } from './subjects.ts';

export interface UrlTesters {
  known(accountId: number): KnownSubjects;
  /** Must run inside a transaction. */
  add(batch: ResolvedBatch): void;
  readonly queries: Pick<TestStore, 'responseTimes'>;
}

/** An upper bound of ids, so that one number can be the key of two ids. Text keys take longer than writing the rows. */
const MAX_SUBJECT_ID = 2 ** 26;

/** The stored counts of a URL × tester that never succeeded. */
const NO_COUNTS = '[]';

type TimesRow = Omit<ResponseTimes, 'counts'> & { readonly counts: string };

export const createUrlTesters = (db: Database): UrlTesters => {
  const { sql } = db;
  const pairsOf = sql.prepare<[number], { url: number; tester: number }>(
    'SELECT url, tester FROM url_tester WHERE account_id = ?',
  );
  const countsOf = prepareValue<[number, number, number], string>(
    sql,
    'SELECT counts FROM url_tester WHERE account_id = ? AND url = ? AND tester = ?',
  );
  // A histogram begins with the first success, so it is held from then on.
  const put = sql.prepare(
    `INSERT INTO url_tester VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
       at = excluded.at, counts = excluded.counts, sum_ms = sum_ms + excluded.sum_ms,
       count = count + excluded.count, held_until = iif(counts = '${NO_COUNTS}', excluded.held_until, held_until)`,
  );
  const timesOf = sql.prepare<[number], TimesRow>(
    `SELECT u.text AS url, t.text AS tester, counts, sum_ms AS sumMs, count, held_until AS heldUntil
     FROM url_tester JOIN subject u ON u.id = url JOIN subject t ON t.id = tester
     WHERE account_id = ? AND counts <> '${NO_COUNTS}' ORDER BY u.text, t.text`,
  );

  return {
    known: (accountId) => {
      const pairs = pairsOf.all(accountId);
      const urls = new Set(pairs.map(({ url }) => url));
      return { urls, testers: new Set(pairs.map(({ tester }) => tester)) };
    },
    add: ({ accountId, results, now, heldUntil }) => {
      for (const group of groupResults(results, ({ url, tester }) => url * MAX_SUBJECT_ID + tester)) {
        const [{ url, tester }] = group;
        const times = group.flatMap(({ isSuccessful, responseTimeMs }) =>
          isSuccessful && responseTimeMs !== null ? responseTimeMs : [],
        );
        const before = countsOf.get(accountId, url, tester) ?? NO_COUNTS;
        const counts = times.length === 0 ? before : JSON.stringify(cumulative(times, countsFrom(before)));
        const sumMs = times.reduce((sum, time) => sum + time, 0);
        put.run(accountId, url, tester, now, counts, sumMs, times.length, heldUntil);
      }
    },
    queries: {
      responseTimes: async (account) => {
        const rows = db.read(() => timesOf.all(db.knownAccountId(account)));
        return rows.map((row) => ({ ...row, counts: countsFrom(row.counts) }));
      },
    },
  };
};

const countsFrom = (text: string): number[] => JSON.parse(text);

const cumulative = (timesMs: readonly number[], before: readonly number[]): number[] =>
  RESPONSE_TIME_BOUNDS_MS.map(
    (bound, index) => (before[index] ?? 0) + timesMs.filter((time) => time <= bound).length,
  );
