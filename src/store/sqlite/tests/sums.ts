// Stores sums of test results by hour and by day (UTC): for each proxy and URL, for each URL, and for each tester.

import { DAY, HOUR } from '../../../lib/time.ts';
import type { TestStore, TestSubject, Uptime } from '../../test-store.ts';
import type { Database } from '../file/database.ts';
import { SUMS_RETENTION_MS } from './retention.ts';
import { ALL_SUBJECTS as ALL, type Subjects } from './subjects.ts';
import { groupResults, type ResolvedBatch, type ResolvedResult } from './test-batch.ts';

/** A batch deletes up to this many rows of an hour and of a day: more than it adds, for some milliseconds of CPU. */
const MAX_PRUNED_ROWS = 1_000;
const HOURS_PER_DAY = DAY / HOUR;
/** The hours that a row covers. Rows of days make queries short: 30 days are at most 53 rows, not 720. */
const SPAN_HOURS = [1, HOURS_PER_DAY];

export interface TestSums {
  /**
   * Adds to the sums of URLs and testers. The first batches of an hour delete an hour and a day that are too old.
   * Must run inside a transaction.
   */
  add(batch: ResolvedBatch): void;
  /** Adds to the sums of a proxy and URL. Must run inside a transaction. */
  addHour(accountId: number, hour: number, proxy: number, url: number, sum: Uptime): void;
  readonly queries: Pick<TestStore, 'uptime' | 'uptimeHistory'>;
}

/** The subject ids of the row that a result is added to. */
type SumKey = readonly [proxy: number, url: number, tester: number];

export const createTestSums = (db: Database, subjects: Subjects): TestSums => {
  const { sql } = db;
  const add = sql.prepare(
    `INSERT INTO test_sum VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
       results = results + excluded.results, successes = successes + excluded.successes,
       sum_ms = sum_ms + excluded.sum_ms`,
  );
  const pruneSums = sql.prepare(
    `DELETE FROM test_sum WHERE account_id = @accountId AND hours = @span AND first_hour < @oldest
       AND first_hour = (SELECT min(first_hour) FROM test_sum WHERE account_id = @accountId AND hours = @span)
     LIMIT ${MAX_PRUNED_ROWS}`,
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

  const addTo = (accountId: number, hour: number, key: SumKey, sum: Uptime): void => {
    for (const span of SPAN_HOURS) {
      const first = roundDown(hour, span);
      add.run(accountId, span, first, ...key, sum.results, sum.successes, sum.sumMs);
    }
  };

  const prunedHours = new Map<number, number>();
  const pruneOldSums = ({ accountId, now }: ResolvedBatch): void => {
    const oldest = hourOf(now - SUMS_RETENTION_MS);
    const rows = SPAN_HOURS.map((span) => pruneSums.run({ accountId, span, oldest }).changes);
    // The rows of an hour with many proxies are deleted by several batches.
    if (rows.every((count) => count < MAX_PRUNED_ROWS)) prunedHours.set(accountId, hourOf(now));
  };

  const uptimeSteps = (
    account: string,
    subject: TestSubject,
    from: number,
    to: number,
    stepMs: number,
  ): Uptime[] => {
    const { kind, name } = kindAndNameOf(subject);
    return db.read(() => {
      const [accountId, id] = [db.knownAccountId(account), subjects.idOf(name)];
      const [start, stop, step] = [from, to, stepMs].map((ms) => Math.ceil(ms / HOUR)) as [
        number,
        number,
        number,
      ];
      const latest = kind === 'proxy' ? latestHoursOf.all(accountId, id) : [];
      const steps: Uptime[] = [];
      for (let first = start; first < stop; first += step) {
        const end = Math.min(stop, first + step);
        // Each span is a query of its own. One query over all spans would also read the rows of all other subjects,
        // a thousand times as many.
        const sums = spansCovering(first, end)
          .map(([span, firstHour]) => sumsOf[kind].get(accountId, span, firstHour, id) ?? NO_RESULTS)
          .concat(latest.filter(({ hour }) => hour >= first && hour < end));
        steps.push(sums.reduce(addUptime, NO_RESULTS));
      }
      return steps;
    });
  };

  return {
    add: (batch) => {
      const { accountId, results, now } = batch;
      for (const group of groupResults(results, ({ url }) => url))
        addTo(accountId, hourOf(now), [ALL, group[0].url, ALL], uptimeOf(group));
      for (const group of groupResults(results, ({ tester }) => tester))
        addTo(accountId, hourOf(now), [ALL, ALL, group[0].tester], uptimeOf(group));
      if (prunedHours.get(batch.accountId) !== hourOf(batch.now)) pruneOldSums(batch);
    },
    addHour: (accountId, hour, proxy, url, sum) => {
      if (sum.results > 0) addTo(accountId, hour, [proxy, url, ALL], sum);
    },
    queries: {
      uptime: async (account, subject, from, to) => {
        const [sum = NO_RESULTS] = uptimeSteps(account, subject, from, to, to - from);
        return sum;
      },
      uptimeHistory: async (account, subject, from, to, stepMs) =>
        uptimeSteps(account, subject, from, to, stepMs),
    },
  };
};

const NO_RESULTS: Uptime = { results: 0, successes: 0, sumMs: 0 };

export const hourOf = (at: number): number => Math.floor(at / HOUR);

const roundDown = (hour: number, span: number): number => Math.floor(hour / span) * span;

/** Splits the hours [first, end) into whole days where possible, and hours before and after them. */
const spansCovering = (first: number, end: number): [span: number, firstHour: number][] => {
  const spans: [number, number][] = [];
  for (let hour = first; hour < end; ) {
    const span = hour % HOURS_PER_DAY === 0 && hour + HOURS_PER_DAY <= end ? HOURS_PER_DAY : 1;
    spans.push([span, hour]);
    hour += span;
  }
  return spans;
};

export const addUptime = (one: Uptime, other: Uptime): Uptime => ({
  results: one.results + other.results,
  successes: one.successes + other.successes,
  sumMs: one.sumMs + other.sumMs,
});

export const uptimeOf = (results: readonly ResolvedResult[]): Uptime => {
  const successful = results.filter(({ isSuccessful }) => isSuccessful);
  const sumMs = successful.reduce((sum, { responseTimeMs }) => sum + (responseTimeMs ?? 0), 0);
  return { results: results.length, successes: successful.length, sumMs };
};

const kindAndNameOf = (subject: TestSubject): { kind: 'proxy' | 'url' | 'tester'; name: string } => {
  if ('proxy' in subject) return { kind: 'proxy', name: subject.proxy };
  if ('url' in subject) return { kind: 'url', name: subject.url };
  return { kind: 'tester', name: subject.tester };
};
