// Statements of test results summed by hour and by day (UTC): by proxy and url, by url, and by tester.

import { DAY, HOUR } from '../../../lib/time.ts';
import type { TestStore, TestSubject, Uptime } from '../../test-store.ts';
import type { Database } from '../file/database.ts';
import { ALL_SUBJECTS as ALL, type Subjects } from './subjects.ts';
import { grouped, type NumberedBatch, type NumberedResult } from './test-batch.ts';

/** A reading of 30 days begins within an hour that must still be there. */
export const SUMS_KEPT_MS = 31 * DAY;
/** Rows that a batch forgets of an hour, and of a day: more than it adds, and some milliseconds of CPU. */
const FORGOTTEN_ROWS = 1_000;
const DAY_HOURS = DAY / HOUR;
/** Hours that a row sums up. Days make readings short: 30 of them are 53 rows at most, not 720. */
const SPANS = [1, DAY_HOURS];

export interface TestSums {
  /**
   * Adds to the sums of urls and testers. The first batches of an hour forget an hour and a day that are too old.
   * Inside a transaction.
   */
  add(batch: NumberedBatch): void;
  /** Adds to the sums of a proxy and url. Inside a transaction. */
  addHour(accountId: number, hour: number, proxy: number, url: number, sum: Uptime): void;
  readonly readings: Pick<TestStore, 'uptime' | 'uptimes'>;
}

/** Subjects' numbers of the row that a result is summed up in. */
type Subject = readonly [proxy: number, url: number, tester: number];

export const createTestSums = (db: Database, subjects: Subjects): TestSums => {
  const { sql } = db;
  const add = sql.prepare(
    `INSERT INTO test_sum VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
       results = results + excluded.results, successes = successes + excluded.successes,
       sum_ms = sum_ms + excluded.sum_ms`,
  );
  const forget = sql.prepare(
    `DELETE FROM test_sum WHERE account_id = @accountId AND hours = @span AND first_hour < @oldest
       AND first_hour = (SELECT min(first_hour) FROM test_sum WHERE account_id = @accountId AND hours = @span)
     LIMIT ${FORGOTTEN_ROWS}`,
  );
  const sumOf = (condition: string) =>
    sql.prepare<[accountId: number, span: number, firstHour: number, subject: number], Uptime>(
      `SELECT coalesce(sum(results), 0) AS results, coalesce(sum(successes), 0) AS successes,
         coalesce(sum(sum_ms), 0.0) AS sumMs
       FROM test_sum WHERE account_id = ? AND hours = ? AND first_hour = ? AND ${condition}`,
    );
  const latestHoursOf = sql.prepare<[accountId: number, proxy: number], Uptime & { readonly hour: number }>(
    `SELECT hour, hour_results AS results, hour_successes AS successes, hour_sum_ms AS sumMs
     FROM test_cells WHERE account_id = ? AND proxy = ?`,
  );
  const sumsOf = {
    proxy: sumOf('proxy = ?'),
    url: sumOf(`proxy = ${ALL} AND url = ?`),
    tester: sumOf(`proxy = ${ALL} AND url = ${ALL} AND tester = ?`),
  };

  const addTo = (accountId: number, hour: number, subject: Subject, sum: Uptime): void => {
    for (const span of SPANS) {
      const first = roundDown(hour, span);
      add.run(accountId, span, first, ...subject, sum.results, sum.successes, sum.sumMs);
    }
  };

  const forgottenAt = new Map<number, number>();
  const forgetOld = ({ accountId, now }: NumberedBatch): void => {
    const oldest = hourOf(now - SUMS_KEPT_MS);
    const rows = SPANS.map((span) => forget.run({ accountId, span, oldest }).changes);
    // An hour of many proxies is forgotten by several batches.
    if (rows.every((count) => count < FORGOTTEN_ROWS)) forgottenAt.set(accountId, hourOf(now));
  };

  const stepsOf = (
    account: string,
    subject: TestSubject,
    from: number,
    to: number,
    stepMs: number,
  ): Uptime[] => {
    const { kind, name } = asked(subject);
    return db.read(() => {
      const [accountId, id] = [db.knownAccountId(account), subjects.find(name)];
      const [start, stop, step] = [from, to, stepMs].map((ms) => Math.ceil(ms / HOUR)) as [
        number,
        number,
        number,
      ];
      const latest = kind === 'proxy' ? latestHoursOf.all(accountId, id) : [];
      const steps: Uptime[] = [];
      for (let first = start; first < stop; first += step) {
        const end = Math.min(stop, first + step);
        // One by one: a subject's rows lie between those of all others, whose number is a thousand times theirs.
        const sums = spansIn(first, end)
          .map(([span, firstHour]) => sumsOf[kind].get(accountId, span, firstHour, id) ?? NOTHING)
          .concat(latest.filter(({ hour }) => hour >= first && hour < end));
        steps.push(sums.reduce(plus, NOTHING));
      }
      return steps;
    });
  };

  return {
    add: (batch) => {
      const { accountId, results, now } = batch;
      for (const own of grouped(results, ({ url }) => url))
        addTo(accountId, hourOf(now), [ALL, own[0].url, ALL], sumUp(own));
      for (const own of grouped(results, ({ tester }) => tester))
        addTo(accountId, hourOf(now), [ALL, ALL, own[0].tester], sumUp(own));
      if (forgottenAt.get(batch.accountId) !== hourOf(batch.now)) forgetOld(batch);
    },
    addHour: (accountId, hour, proxy, url, sum) => {
      if (sum.results > 0) addTo(accountId, hour, [proxy, url, ALL], sum);
    },
    readings: {
      uptime: async (account, subject, from, to) => {
        const [sum = NOTHING] = stepsOf(account, subject, from, to, to - from);
        return sum;
      },
      uptimes: async (account, subject, from, to, stepMs) => stepsOf(account, subject, from, to, stepMs),
    },
  };
};

const NOTHING: Uptime = { results: 0, successes: 0, sumMs: 0 };

export const hourOf = (at: number): number => Math.floor(at / HOUR);

const roundDown = (hour: number, span: number): number => Math.floor(hour / span) * span;

/** What makes up the hours [first, end): whole days where it can, and hours before and after them. */
const spansIn = (first: number, end: number): [span: number, firstHour: number][] => {
  const spans: [number, number][] = [];
  for (let hour = first; hour < end; ) {
    const span = hour % DAY_HOURS === 0 && hour + DAY_HOURS <= end ? DAY_HOURS : 1;
    spans.push([span, hour]);
    hour += span;
  }
  return spans;
};

export const plus = (one: Uptime, other: Uptime): Uptime => ({
  results: one.results + other.results,
  successes: one.successes + other.successes,
  sumMs: one.sumMs + other.sumMs,
});

export const sumUp = (results: readonly NumberedResult[]): Uptime => {
  const successful = results.filter(({ isSuccessful }) => isSuccessful);
  const sumMs = successful.reduce((sum, { responseTimeMs }) => sum + (responseTimeMs ?? 0), 0);
  return { results: results.length, successes: successful.length, sumMs };
};

const asked = (subject: TestSubject): { kind: 'proxy' | 'url' | 'tester'; name: string } => {
  if ('proxy' in subject) return { kind: 'proxy', name: subject.proxy };
  if ('url' in subject) return { kind: 'url', name: subject.url };
  return { kind: 'tester', name: subject.tester };
};
