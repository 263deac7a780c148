// Stores a batch of tests in all tables in one transaction, deletes what is no longer tested, and makes the `TestStore`.

import type { TestHistoryStore, Uptime } from '../../test-history-store.ts';
import type { TestBatch, TestStore } from '../../test-store.ts';
import { createListings } from '../accounts/listings.ts';
import type { Database } from '../file/database.ts';
import { createTestCells } from './cells.ts';
import { createChangedCauses, createFaults } from './faults.ts';
import { createRecentFailures } from './recent-failures.ts';
import { createSubjects, type ResolvedBatch, resolveBatch, type Subjects } from './subjects.ts';
import {
  addUptime,
  createSumQueries,
  createTestSums,
  DAY_SUMS_RETENTION_MS,
  HOUR_SUM,
  hourOf,
  NO_RESULTS,
  SUMS,
} from './sums.ts';
import { createTestCalls } from './test-calls.ts';
import { createTestedProxies } from './tested-proxies.ts';
import { createFailureCounts, createUrlTesters } from './totals.ts';

export const createTestStore = (db: Database): TestStore => {
  const listings = createListings(db, 'proxy_tests');
  const subjects = createSubjects(db);
  const calls = createTestCalls(db, listings);
  const testedProxies = createTestedProxies(db, subjects);
  const urlTesters = createUrlTesters(db);
  const failureCounts = createFailureCounts(db);
  const sums = createTestSums(db);
  const cells = createTestCells(db, subjects, urlTesters, sums);
  const recentFailures = createRecentFailures(db, subjects);

  const tables = [testedProxies, urlTesters, cells, failureCounts, sums, recentFailures];

  const resolve = (accountId: number, batch: TestBatch): ResolvedBatch => {
    const { known, heldUntil } = db.read(() => ({
      known: urlTesters.known(accountId),
      heldUntil: listings.heldUntil(accountId, batch.now),
    }));
    return { ...resolveBatch(batch, known, subjects), accountId, now: batch.now, heldUntil };
  };

  return {
    ...calls.operations,
    ...testedProxies.queries,
    ...cells.queries,
    ...urlTesters.queries,
    ...failureCounts.queries,
    ...createSumQueries(db, subjects),
    ...createProxyHours(db, subjects),
    ...createChangedCauses(db, subjects),
    ...recentFailures.queries,
    ...createFaults(db),
    ...createTestPrune(db, subjects),
    saveBatch: async (account, batch) => {
      const accountId = db.accountId(account);
      const rows = resolve(accountId, batch);
      db.write(() => {
        for (const table of tables) table.add(rows);
        calls.count(accountId, batch);
        listings.recordPage(accountId, batch.startedAt ?? batch.now);
      });
    },
    storedAt: db.readOf((accountId) => listings.of(accountId).storedAt),
  };
};

interface OldSubject {
  readonly id: number;
  readonly name: string;
}

const createTestPrune = (db: Database, subjects: Subjects): Pick<TestStore, 'prune'> => {
  const { sql, prepareValue } = db;
  const newestResultAt = prepareValue<[number], number | null>(
    'SELECT max(at) FROM url_tester WHERE account_id = ?',
  );
  const sourceProxyIds = prepareValue<[number], string>('SELECT id FROM source_proxy WHERE account_id = ?');
  const deletion = (table: string, column: string) =>
    sql.prepare<[number, number]>(`DELETE FROM ${table} WHERE account_id = ? AND ${column} = ?`);

  const createProxyPruner = () => {
    const deletions = ['test_cells', 'test_failure', 'tested_proxy'].map((table) => deletion(table, 'proxy'));
    return {
      oldOf: sql.prepare<[number, number], OldSubject>(
        `SELECT subject.id, subject.text AS name FROM tested_proxy JOIN subject ON subject.id = proxy
         WHERE account_id = ? AND last_tested_at < ?`,
      ),
      remove: (accountId: number, id: number): number[] => {
        for (const each of deletions) each.run(accountId, id);
        return [id];
      },
    };
  };
  // The cells of a URL or tester are merged when their proxy is next tested, or deleted with it: see cells.ts.
  const createPrunerOf = (column: 'url' | 'tester') => {
    const deletions = ['test_error', ...(column === 'tester' ? ['tester_place'] : [])].map((table) =>
      deletion(table, column),
    );
    const deletePairs = sql.prepare<[number, number], { url: number; tester: number }>(
      `DELETE FROM url_tester WHERE account_id = ? AND ${column} = ? RETURNING url, tester`,
    );
    return {
      oldOf: sql.prepare<[number, number], OldSubject>(
        `SELECT subject.id, subject.text AS name FROM url_tester JOIN subject ON subject.id = ${column}
         WHERE account_id = ? GROUP BY subject.id HAVING max(at) < ?`,
      ),
      remove: (accountId: number, id: number): number[] => {
        for (const each of deletions) each.run(accountId, id);
        return deletePairs.all(accountId, id).flatMap(({ url, tester }) => [url, tester]);
      },
    };
  };
  const pruners = [createProxyPruner(), createPrunerOf('url'), createPrunerOf('tester')];

  /** Deletes up to `limit` subjects. Returns their number. */
  const removeOld = (accountId: number, before: number, kept: ReadonlySet<string>, limit: number): number => {
    let removed = 0;
    for (const { oldOf, remove } of pruners) {
      const oldIds: number[] = [];
      for (const { id, name } of oldOf.iterate(accountId, before)) {
        if (removed + oldIds.length === limit) break;
        if (!kept.has(name)) oldIds.push(id);
      }
      subjects.deleteUnused(oldIds.flatMap((id) => remove(accountId, id)));
      removed += oldIds.length;
    }
    return removed;
  };

  return {
    prune: async (account, { before, kept }, limit) => {
      const accountId = db.knownAccountId(account);
      return db.write(() => {
        const newest = newestResultAt.get(accountId) ?? 0;
        const keptNames = new Set([...kept, ...sourceProxyIds.all(accountId)]);
        return removeOld(accountId, Math.min(before, newest - DAY_SUMS_RETENTION_MS), keptNames, limit);
      });
    },
  };
};

interface Row extends Uptime {
  readonly proxy: number;
  readonly hour: number;
}

const createProxyHours = (db: Database, subjects: Subjects): Pick<TestHistoryStore, 'proxyHours'> => {
  // The order of a CROSS JOIN is kept: it searches each proxy in each hour, and does not read all proxies of the hours.
  const stored = db.sql.prepare<[hours: string, proxies: string, accountId: number], Row>(
    `SELECT test_sum.proxy, first_hour AS hour, ${SUMS} FROM json_each(?) AS wanted CROSS JOIN json_each(?) AS listed
     CROSS JOIN test_sum ON account_id = ? AND hours = 1 AND first_hour = wanted.value AND proxy = listed.value
     GROUP BY test_sum.proxy, first_hour`,
  );
  /** The newest hour of a proxy and URL is in its row of cells. */
  const newest = db.sql.prepare<[proxies: string, accountId: number], Row>(
    `SELECT test_cells.proxy, ${HOUR_SUM} FROM json_each(?) AS listed
     CROSS JOIN test_cells ON account_id = ? AND proxy = listed.value`,
  );
  const read = db.readOf((accountId, proxies: readonly string[], from: number, to: number) => {
    const hours = Array.from({ length: hourOf(to) - hourOf(from) }, (_, index) => hourOf(from) + index);
    const ids = JSON.stringify(proxies.map(subjects.idOf));
    const rows = [...stored.all(JSON.stringify(hours), ids, accountId), ...newest.all(ids, accountId)];
    const found = new Map<number, Uptime[]>();
    for (const { proxy, hour, ...sum } of rows) {
      const index = hour - hourOf(from);
      if (sum.results === 0 || index < 0 || index >= hours.length) continue;
      const uptimes = found.get(proxy) ?? hours.map(() => NO_RESULTS);
      uptimes[index] = addUptime(uptimes[index] ?? NO_RESULTS, sum);
      found.set(proxy, uptimes);
    }
    return new Map([...found].map(([id, uptimes]) => [subjects.nameOf(id), uptimes]));
  });
  return { proxyHours: read };
};
