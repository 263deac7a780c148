// Stores and reads sums of test results by hour and by day (UTC): for each proxy and URL, for each URL, and for each tester.

import { DAY, HOUR, type Range } from '../../../lib/time.ts';
import type { TestSubject, Uptime } from '../../test-history-store.ts';
import type { FaultKind, TestStore } from '../../test-store.ts';
import type { Database } from '../file/database.ts';
import {
  ALL_SUBJECTS as ALL,
  groupBy,
  type ResolvedBatch,
  type ResolvedResult,
  type Subjects,
} from './subjects.ts';

const HOURS_PER_DAY = DAY / HOUR;
/** The sums of the newest hour of a proxy and URL, which are in its row of cells. */
export const HOUR_SUM = `hour, hour_results AS results, hour_successes AS successes, hour_sum_ms AS sumMs,
  hour_own_failures AS ownFailures, hour_other_failures AS otherFailures`;
export const HOUR_SUM_COLUMNS = HOUR_SUM.replaceAll(/ AS \w+/g, '');

/** How long uptime sums by hour are kept. A query over 30 days begins within an hour that must still be stored. */
const HOUR_SUMS_RETENTION_MS = 31 * DAY;
/** How long uptime sums by day are kept. */
export const DAY_SUMS_RETENTION_MS = 90 * DAY;
/** A batch deletes up to this many rows of an hour and of a day: more than it adds, for some milliseconds of CPU. */
const MAX_PRUNED_ROWS = 1_000;
/** The hours that a row covers. Rows of days make queries short: 30 days are at most 53 rows, not 720. */
const SPANS = [
  { hours: 1, retentionMs: HOUR_SUMS_RETENTION_MS },
  { hours: HOURS_PER_DAY, retentionMs: DAY_SUMS_RETENTION_MS },
] as const;

/** A sum is null if a row with failures does not know whose they are. */
const totalOf = (column: string): string =>
  `iif(count(*) = count(iif(results = successes, 0, ${column})), coalesce(sum(iif(results = successes, 0, ${column})), 0), NULL)`;

/** The sums of rows. */
export const SUMS = `coalesce(sum(results), 0) AS results, coalesce(sum(successes), 0) AS successes,
  coalesce(sum(sum_ms), 0.0) AS sumMs, ${totalOf('own_failures')} AS ownFailures,
  ${totalOf('other_failures')} AS otherFailures`;

/** The subject ids of the row that a result is added to. */
type SumKey = readonly [proxy: number, url: number, tester: number];

export const createTestSums = ({ sql }: Database) => {
  const add = sql.prepare(
    `INSERT INTO test_sum (account_id, hours, first_hour, proxy, url, tester, results, successes, sum_ms, own_failures,
       other_failures)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
       own_failures = iif(results = successes, 0, own_failures) + excluded.own_failures,
       other_failures = iif(results = successes, 0, other_failures) + excluded.other_failures,
       results = results + excluded.results, successes = successes + excluded.successes,
       sum_ms = sum_ms + excluded.sum_ms`,
  );
  const pruneSums = sql.prepare(
    `DELETE FROM test_sum WHERE account_id = @accountId AND hours = @hours AND first_hour < @oldest
       AND first_hour = (SELECT min(first_hour) FROM test_sum WHERE account_id = @accountId AND hours = @hours)
     LIMIT ${MAX_PRUNED_ROWS}`,
  );

  const addTo = (accountId: number, hour: number, key: SumKey, sum: Uptime): void => {
    const values = [sum.results, sum.successes, sum.sumMs, sum.ownFailures, sum.otherFailures];
    for (const { hours } of SPANS)
      add.run(accountId, hours, Math.floor(hour / hours) * hours, ...key, ...values);
  };

  const prunedHours = new Map<number, number>();
  const pruneOldSums = ({ accountId, now }: ResolvedBatch): void => {
    const rows = SPANS.map(
      ({ hours, retentionMs }) =>
        pruneSums.run({ accountId, hours, oldest: hourOf(now - retentionMs) }).changes,
    );
    // The rows of an hour with many proxies are deleted by several batches.
    if (rows.every((count) => count < MAX_PRUNED_ROWS)) prunedHours.set(accountId, hourOf(now));
  };

  return {
    /** Adds to the sums of URLs and testers, and deletes an hour and a day that are too old. Must run in a transaction. */
    add: (batch: ResolvedBatch): void => {
      const { accountId, results, now } = batch;
      for (const group of groupBy(results, ({ url }) => url))
        addTo(accountId, hourOf(now), [ALL, group[0].url, ALL], uptimeOf(group, 'target'));
      for (const group of groupBy(results, ({ tester }) => tester))
        addTo(accountId, hourOf(now), [ALL, ALL, group[0].tester], uptimeOf(group, 'tester'));
      if (prunedHours.get(accountId) !== hourOf(now)) pruneOldSums(batch);
    },
    /** Adds to the sums of a proxy and URL. Must run inside a transaction. */
    addHour: (accountId: number, hour: number, proxy: number, url: number, sum: Uptime): void => {
      if (sum.results > 0) addTo(accountId, hour, [proxy, url, ALL], sum);
    },
  };
};

export type TestSums = ReturnType<typeof createTestSums>;

export const NO_RESULTS: Uptime = { results: 0, successes: 0, sumMs: 0, ownFailures: 0, otherFailures: 0 };

export const hourOf = (at: number): number => Math.floor(at / HOUR);

export const addUptime = (one: Uptime, other: Uptime): Uptime => ({
  results: one.results + other.results,
  successes: one.successes + other.successes,
  sumMs: one.sumMs + other.sumMs,
  ownFailures: addFailures('ownFailures', one, other),
  otherFailures: addFailures('otherFailures', one, other),
});

const addFailures = (name: 'ownFailures' | 'otherFailures', one: Uptime, other: Uptime): number | null => {
  const [a, b] = [failuresOf(one, name), failuresOf(other, name)];
  return a === null || b === null ? null : a + b;
};

/** Without a failure it is known that none is anybody's fault, no matter which version stored the results. */
const failuresOf = (uptime: Uptime, name: 'ownFailures' | 'otherFailures'): number | null =>
  uptime.results > uptime.successes ? uptime[name] : 0;

/** Adds up results of a subject of this kind. */
export const uptimeOf = (results: readonly ResolvedResult[], kind: FaultKind): Uptime => {
  let [successes, sumMs, ownFailures, otherFailures] = [0, 0, 0, 0];
  for (const { isSuccessful, responseTimeMs, cause } of results) {
    if (isSuccessful) {
      successes += 1;
      sumMs += responseTimeMs ?? 0;
    } else if (cause === kind) ownFailures += 1;
    else if (cause) otherFailures += 1;
  }
  return { results: results.length, successes, sumMs, ownFailures, otherFailures };
};

export const createSumQueries = (
  db: Database,
  subjects: Subjects,
): Pick<TestStore, 'uptime' | 'uptimes' | 'uptimeHistory'> => {
  const { sql } = db;
  const sumOf = (condition: string) =>
    sql.prepare<[accountId: number, span: number, firstHour: number, subject: number], Uptime>(
      `SELECT ${SUMS} FROM test_sum WHERE account_id = ? AND hours = ? AND first_hour = ? AND ${condition}`,
    );
  const latestHoursOf = sql.prepare<[accountId: number, proxy: number], Uptime & { readonly hour: number }>(
    `SELECT ${HOUR_SUM} FROM test_cells WHERE account_id = ? AND proxy = ?`,
  );
  const sumsOf = {
    proxy: sumOf('proxy = ?'),
    url: sumOf(`proxy = ${ALL} AND url = ?`),
    tester: sumOf(`proxy = ${ALL} AND url = ${ALL} AND tester = ?`),
  };

  const uptimes = db.readOf((accountId, subject: TestSubject, periods: readonly Range[]): Uptime[] => {
    const { kind, name } = kindAndNameOf(subject);
    const id = subjects.idOf(name);
    const latest = kind === 'proxy' ? latestHoursOf.all(accountId, id) : [];
    const known = new Map<number, Uptime>();
    // Each span is a query of its own. One query over all spans would also read the rows of all other subjects,
    // a thousand times as many.
    const sumOfSpan = ([span, firstHour]: Span): Uptime => {
      const key = firstHour * (HOURS_PER_DAY + 1) + span;
      const sum = known.get(key) ?? sumsOf[kind].get(accountId, span, firstHour, id) ?? NO_RESULTS;
      known.set(key, sum);
      return sum;
    };
    return periods.map(({ from, to }) => {
      const [first, end] = [Math.ceil(from / HOUR), Math.ceil(to / HOUR)];
      return spansCovering(first, end)
        .map(sumOfSpan)
        .concat(latest.filter(({ hour }) => hour >= first && hour < end))
        .reduce(addUptime, NO_RESULTS);
    });
  });

  return {
    uptimes,
    uptime: async (account, subject, from, to) => {
      const [sum = NO_RESULTS] = await uptimes(account, subject, [{ from, to }]);
      return sum;
    },
    uptimeHistory: (account, subject, from, to, stepMs) => {
      const steps = Array.from({ length: Math.ceil((to - from) / stepMs) }, (_, n) => from + n * stepMs);
      return uptimes(
        account,
        subject,
        steps.map((start) => ({ from: start, to: Math.min(to, start + stepMs) })),
      );
    },
  };
};

type Span = readonly [hours: number, firstHour: number];

/** Splits the hours [first, end) into whole days where possible, and hours before and after them. */
const spansCovering = (first: number, end: number): Span[] => {
  const spans: Span[] = [];
  for (let hour = first; hour < end; ) {
    const span = hour % HOURS_PER_DAY === 0 && hour + HOURS_PER_DAY <= end ? HOURS_PER_DAY : 1;
    spans.push([span, hour]);
    hour += span;
  }
  return spans;
};

const kindAndNameOf = (subject: TestSubject): { kind: 'proxy' | 'url' | 'tester'; name: string } => {
  if ('proxy' in subject) return { kind: 'proxy', name: subject.proxy };
  if ('url' in subject) return { kind: 'url', name: subject.url };
  return { kind: 'tester', name: subject.tester };
};
