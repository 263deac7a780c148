// Reads sums of test results over periods.

import { DAY, HOUR } from '../../../lib/time.ts';
import type { Period, TestSubject, Uptime } from '../../test-history-store.ts';
import type { TestStore } from '../../test-store.ts';
import type { Database } from '../file/database.ts';
import { ALL_SUBJECTS as ALL, type Subjects } from './subjects.ts';
import { addUptime, NO_RESULTS } from './sums.ts';

const HOURS_PER_DAY = DAY / HOUR;

/** Whole hours since the epoch, without the last one. */
type Hours = readonly [first: number, end: number];

export const createSumQueries = (
  db: Database,
  subjects: Subjects,
): Pick<TestStore, 'uptime' | 'uptimes' | 'uptimeHistory'> => {
  const { sql } = db;
  const sumOf = (condition: string) =>
    sql.prepare<[accountId: number, span: number, firstHour: number, subject: number], Uptime>(
      `SELECT coalesce(sum(results), 0) AS results, coalesce(sum(successes), 0) AS successes,
         coalesce(sum(sum_ms), 0.0) AS sumMs, ${totalOf('own_failures')} AS ownFailures,
         ${totalOf('other_failures')} AS otherFailures
       FROM test_sum WHERE account_id = ? AND hours = ? AND first_hour = ? AND ${condition}`,
    );
  const latestHoursOf = sql.prepare<[accountId: number, proxy: number], Uptime & { readonly hour: number }>(
    `SELECT hour, hour_results AS results, hour_successes AS successes, hour_sum_ms AS sumMs,
       hour_own_failures AS ownFailures, hour_other_failures AS otherFailures
     FROM test_cells WHERE account_id = ? AND proxy = ?`,
  );
  const sumsOf = {
    proxy: sumOf('proxy = ?'),
    url: sumOf(`proxy = ${ALL} AND url = ?`),
    tester: sumOf(`proxy = ${ALL} AND url = ${ALL} AND tester = ?`),
  };

  const sumsOver = (account: string, subject: TestSubject, periods: readonly Hours[]): Uptime[] => {
    const { kind, name } = kindAndNameOf(subject);
    return db.read(() => {
      const [accountId, id] = [db.knownAccountId(account), subjects.idOf(name)];
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
      return periods.map(([first, end]) =>
        spansCovering(first, end)
          .map(sumOfSpan)
          .concat(latest.filter(({ hour }) => hour >= first && hour < end))
          .reduce(addUptime, NO_RESULTS),
      );
    });
  };

  const uptimes = async (
    account: string,
    subject: TestSubject,
    periods: readonly Period[],
  ): Promise<Uptime[]> =>
    sumsOver(
      account,
      subject,
      periods.map(({ from, to }) => [Math.ceil(from / HOUR), Math.ceil(to / HOUR)] as const),
    );

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

/** A sum is null if a row with failures does not know whose they are. */
const totalOf = (column: string): string =>
  `iif(count(*) = count(iif(results = successes, 0, ${column})), coalesce(sum(iif(results = successes, 0, ${column})), 0), NULL)`;

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
