// Stores the newest failed test results.

import { DAY } from '../../../lib/time.ts';
import type { FailureFilter, RecentFailure } from '../../test-history-store.ts';
import type { TestStore } from '../../test-store.ts';
import type { Database } from '../file/database.ts';
import { conditionsFor } from '../row.ts';
import { countWithText, rowsWithText } from '../slices.ts';
import type { ResolvedBatch, Subjects } from './subjects.ts';

/** How long a failure is kept with its proxy, target, tester and error. */
const FAILURES_RETENTION_MS = 7 * DAY;
/** The most failures kept for an account. An outage of the provider causes 20,000 failures an hour. */
const MAX_FAILURES = 10_000;

const SUBJECTS = ['proxy', 'url', 'tester'] as const;
type FailureRow = Omit<RecentFailure, (typeof SUBJECTS)[number]> &
  Readonly<Record<(typeof SUBJECTS)[number], number>>;

/** Only the account's rows are compared with a filter, 10,000 at most. An index would cost more at each failure. */
const CONDITIONS = {
  before: 'number < @before',
  proxy: 'proxy = @proxy',
  url: 'url = @url',
  tester: 'tester = @tester',
  errorSource: 'error_source = @errorSource',
  from: 'at >= @from',
  to: 'at < @to',
} as const satisfies Record<Exclude<keyof FailureFilter, 'text'>, string>;

const textsOf = ({ proxy, url, tester, errorSource, errorCode }: RecentFailure) => [
  ...[proxy, url, tester, errorSource, errorCode],
];

export const createRecentFailures = (db: Database, subjects: Subjects) => {
  const { sql, prepareValue } = db;
  const newestNumber = prepareValue<[number], number | null>(
    'SELECT max(number) FROM recent_failure WHERE account_id = ?',
  );
  const insert = sql.prepare('INSERT INTO recent_failure VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  // Rows are in order of time, so all rows before the first one within the retention are too old.
  const deleteOld = sql.prepare(
    `DELETE FROM recent_failure WHERE account_id = @accountId AND number < max(@first, coalesce(
       (SELECT number FROM recent_failure WHERE account_id = @accountId AND at >= @oldest ORDER BY number LIMIT 1),
       @next))`,
  );
  /** Returns the condition of SQL, and its values. */
  const conditionOf = (account: string, filter: FailureFilter) => {
    const ids = Object.fromEntries(SUBJECTS.map((name) => [name, subjects.idOf(filter[name] ?? '')]));
    return {
      where: `WHERE ${['account_id = @accountId', ...conditionsFor(CONDITIONS, filter)].join(' AND ')}`,
      values: { accountId: db.knownAccountId(account), ...filter, ...ids },
    };
  };
  const read = (account: string, limit: number, filter: FailureFilter): RecentFailure[] => {
    const { where, values } = conditionOf(account, filter);
    return sql
      .prepare<object, FailureRow>(
        `SELECT number, at, proxy, url, tester, error_source AS errorSource, error_code AS errorCode
         FROM recent_failure ${where} ORDER BY number DESC LIMIT @limit`,
      )
      .all({ ...values, limit })
      .map((row) => ({
        ...row,
        proxy: subjects.nameOf(row.proxy),
        url: subjects.nameOf(row.url),
        tester: subjects.nameOf(row.tester),
      }));
  };
  const count = (account: string, filter: FailureFilter): number => {
    const { where, values } = conditionOf(account, filter);
    return prepareValue<object, number>(`SELECT count(*) FROM recent_failure ${where}`).get(values) ?? 0;
  };
  const readerOf =
    (account: string, filter: FailureFilter) =>
    (limit: number, after: RecentFailure | undefined): RecentFailure[] =>
      db.read(() => read(account, limit, { ...filter, before: after?.number ?? filter.before }));

  return {
    /** Must run inside a transaction. */
    add: ({ accountId, results, now }: ResolvedBatch): void => {
      let number = newestNumber.get(accountId) ?? 0;
      for (const { proxy, url, tester, isSuccessful, errorSource, errorCode } of results) {
        if (isSuccessful) continue;
        number += 1;
        insert.run(accountId, number, now, proxy, url, tester, errorSource, errorCode);
      }
      const next = number + 1;
      deleteOld.run({ accountId, oldest: now - FAILURES_RETENTION_MS, first: next - MAX_FAILURES, next });
    },
    queries: {
      recentFailures: (account, limit, filter = {}) =>
        rowsWithText(filter.text, limit, readerOf(account, filter), textsOf),
      countFailures: async (account, filter) =>
        filter.text
          ? countWithText(filter.text, readerOf(account, filter), textsOf)
          : db.read(() => count(account, filter)),
    } satisfies Pick<TestStore, 'recentFailures' | 'countFailures'>,
  };
};
