// Stores sums of test results by hour and by day (UTC): for each proxy and URL, for each URL, and for each tester.

import { DAY, HOUR } from '../../../lib/time.ts';
import type { Uptime } from '../../test-history-store.ts';
import type { FaultKind } from '../../test-store.ts';
import type { Database } from '../file/database.ts';
import { ALL_SUBJECTS as ALL, groupBy, type ResolvedBatch, type ResolvedResult } from './subjects.ts';

/** How long uptime sums by hour are kept. A query over 30 days begins within an hour that must still be stored. */
const HOUR_SUMS_RETENTION_MS = 31 * DAY;
/** How long uptime sums by day are kept. */
export const DAY_SUMS_RETENTION_MS = 90 * DAY;
/** A batch deletes up to this many rows of an hour and of a day: more than it adds, for some milliseconds of CPU. */
const MAX_PRUNED_ROWS = 1_000;
/** The hours that a row covers. Rows of days make queries short: 30 days are at most 53 rows, not 720. */
const SPANS = [
  { hours: 1, retentionMs: HOUR_SUMS_RETENTION_MS },
  { hours: DAY / HOUR, retentionMs: DAY_SUMS_RETENTION_MS },
] as const;

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
    /**
     * Adds to the sums of URLs and testers. The first batches of an hour delete an hour and a day that are too old.
     * Must run inside a transaction.
     */
    add: (batch: ResolvedBatch): void => {
      const { accountId, results, now } = batch;
      for (const group of groupBy(results, ({ url }) => url))
        addTo(accountId, hourOf(now), [ALL, group[0].url, ALL], uptimeOf(group, 'target'));
      for (const group of groupBy(results, ({ tester }) => tester))
        addTo(accountId, hourOf(now), [ALL, ALL, group[0].tester], uptimeOf(group, 'tester'));
      if (prunedHours.get(batch.accountId) !== hourOf(batch.now)) pruneOldSums(batch);
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
  ownFailures: addFailures(ownFailuresOf(one), ownFailuresOf(other)),
  otherFailures: addFailures(otherFailuresOf(one), otherFailuresOf(other)),
});

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

const addFailures = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : one + other;

/** Without a failure it is known that none is anybody's fault, no matter which version stored the results. */
const ownFailuresOf = (uptime: Uptime): number | null => (hasFailures(uptime) ? uptime.ownFailures : 0);

const otherFailuresOf = (uptime: Uptime): number | null => (hasFailures(uptime) ? uptime.otherFailures : 0);

const hasFailures = ({ results, successes }: Uptime): boolean => results > successes;
