// Statements of test results summed by hour: by proxy and url, by url, and by tester.

import { DAY, HOUR } from '../../lib/time.ts';
import type { TestStore, TestSubject, Uptime } from '../test-store.ts';
import type { Database } from './database.ts';
import { ALL_SUBJECTS as ALL, type Subjects } from './subjects.ts';
import { grouped, type NumberedBatch, type NumberedResult } from './test-batch.ts';

/** A reading of 30 days begins within an hour that must still be there. */
const KEPT_MS = 31 * DAY;

export interface TestHours {
  /** Inside a transaction. Forgets an hour that is too old, so that no batch has to forget many. */
  add(batch: NumberedBatch): void;
  readonly readings: Pick<TestStore, 'uptime'>;
}

/** Rows of one subject in the hours [first, end). */
interface HourRange {
  readonly first: number;
  readonly end: number;
  readonly accountId: number;
  readonly id: number;
}

/** Proxy, url and tester of the row that a result is summed up in. */
type SubjectOf = (result: NumberedResult) => [proxy: number, url: number, tester: number];

const SUMMED_BY: readonly SubjectOf[] = [
  ({ proxy, url }) => [proxy, url, ALL],
  ({ url }) => [ALL, url, ALL],
  ({ tester }) => [ALL, ALL, tester],
];

export const createTestHours = (db: Database, subjects: Subjects): TestHours => {
  const { sql } = db;
  const add = sql.prepare(
    `INSERT INTO test_hour VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
       results = results + excluded.results, successes = successes + excluded.successes,
       sum_ms = sum_ms + excluded.sum_ms`,
  );
  const forget = sql.prepare(
    `DELETE FROM test_hour WHERE account_id = @accountId AND hour < @oldest
       AND hour = (SELECT min(hour) FROM test_hour WHERE account_id = @accountId)`,
  );
  // Hour by hour: a subject's rows lie between those of all others, whose number is a thousand times theirs.
  const sumOver = (condition: string) =>
    sql.prepare<[HourRange], Uptime>(
      `WITH RECURSIVE hours (hour) AS (SELECT @first WHERE @first < @end UNION ALL SELECT hour + 1 FROM hours WHERE hour + 1 < @end)
       SELECT coalesce(sum(results), 0) AS results, coalesce(sum(successes), 0) AS successes,
         coalesce(sum(sum_ms), 0.0) AS sumMs
       FROM hours CROSS JOIN test_hour AS row ON row.account_id = @accountId AND row.hour = hours.hour AND ${condition}`,
    );
  const sumOf = {
    proxy: sumOver('proxy = @id'),
    url: sumOver(`proxy = ${ALL} AND url = @id`),
    tester: sumOver(`proxy = ${ALL} AND url = ${ALL} AND tester = @id`),
  };

  const addBy = (subjectOf: SubjectOf, { accountId, results, now }: NumberedBatch): void => {
    for (const group of grouped(results, (result) => subjectOf(result).join(' '))) {
      const { results, successes, sumMs } = sumUp(group);
      add.run(accountId, hourOf(now), ...subjectOf(group[0]), results, successes, sumMs);
    }
  };

  return {
    add: (batch) => {
      for (const subjectOf of SUMMED_BY) addBy(subjectOf, batch);
      forget.run({ accountId: batch.accountId, oldest: hourOf(batch.now - KEPT_MS) });
    },
    readings: {
      uptime: async (account, subject, from, to) => {
        const { kind, name } = asked(subject);
        return db.read(() => {
          const range = { first: Math.ceil(from / HOUR), end: Math.ceil(to / HOUR) };
          const rows = { accountId: db.knownAccountId(account), id: subjects.find(name) };
          return sumOf[kind].get({ ...range, ...rows }) ?? NOTHING;
        });
      },
    },
  };
};

const NOTHING: Uptime = { results: 0, successes: 0, sumMs: 0 };

const hourOf = (at: number): number => Math.floor(at / HOUR);

const sumUp = (results: readonly NumberedResult[]): Uptime => {
  const successful = results.filter(({ isSuccessful }) => isSuccessful);
  const sumMs = successful.reduce((sum, { responseTimeMs }) => sum + (responseTimeMs ?? 0), 0);
  return { results: results.length, successes: successful.length, sumMs };
};

const asked = (subject: TestSubject): { kind: 'proxy' | 'url' | 'tester'; name: string } => {
  if ('proxy' in subject) return { kind: 'proxy', name: subject.proxy };
  if ('url' in subject) return { kind: 'url', name: subject.url };
  return { kind: 'tester', name: subject.tester };
};
