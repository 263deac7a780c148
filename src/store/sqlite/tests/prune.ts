// Forgets proxies, urls and testers that are tested no more, a slice at a time.

import type { TestStore } from '../../test-store.ts';
import type { Database } from '../file/database.ts';
import type { Subjects } from './subjects.ts';
import { SUMS_KEPT_MS } from './sums.ts';

interface Subject {
  readonly id: number;
  readonly name: string;
}

export const createTestPrune = (db: Database, subjects: Subjects): Pick<TestStore, 'prune'> => {
  const { sql } = db;
  const newestOf = sql
    .prepare<[number], number | null>('SELECT max(at) FROM url_tester WHERE account_id = ?')
    .pluck();
  const foundOf = sql.prepare<[number], string>('SELECT id FROM target WHERE account_id = ?').pluck();
  const deletion = (table: string, column: string) =>
    sql.prepare<[number, number]>(`DELETE FROM ${table} WHERE account_id = ? AND ${column} = ?`);

  const kindOfProxies = () => {
    const deletions = ['test_cells', 'test_failure', 'tested_proxy'].map((table) => deletion(table, 'proxy'));
    return {
      oldOf: sql.prepare<[number, number], Subject>(
        `SELECT subject.id, subject.text AS name FROM tested_proxy JOIN subject ON subject.id = proxy
         WHERE account_id = ? AND last_tested_at < ?`,
      ),
      forget: (accountId: number, id: number): number[] => {
        for (const each of deletions) each.run(accountId, id);
        return [id];
      },
    };
  };
  // Their cells become one when their proxy is tested next, or go with it: see test-cells.ts.
  const kindOf = (column: 'url' | 'tester') => {
    const deletions = ['test_error', ...(column === 'tester' ? ['tester_place'] : [])].map((table) =>
      deletion(table, column),
    );
    const deletePairs = sql.prepare<[number, number], { url: number; tester: number }>(
      `DELETE FROM url_tester WHERE account_id = ? AND ${column} = ? RETURNING url, tester`,
    );
    return {
      oldOf: sql.prepare<[number, number], Subject>(
        `SELECT subject.id, subject.text AS name FROM url_tester JOIN subject ON subject.id = ${column}
         WHERE account_id = ? GROUP BY subject.id HAVING max(at) < ?`,
      ),
      forget: (accountId: number, id: number): number[] => {
        for (const each of deletions) each.run(accountId, id);
        return deletePairs.all(accountId, id).flatMap(({ url, tester }) => [url, tester]);
      },
    };
  };
  const kinds = [kindOfProxies(), kindOf('url'), kindOf('tester')];

  /** Forgets up to `limit` subjects; how many it were. */
  const forget = (accountId: number, before: number, kept: ReadonlySet<string>, limit: number): number => {
    let forgotten = 0;
    for (const { oldOf, forget } of kinds) {
      const gone: number[] = [];
      for (const { id, name } of oldOf.iterate(accountId, before)) {
        if (forgotten + gone.length === limit) break;
        if (!kept.has(name)) gone.push(id);
      }
      subjects.release(gone.flatMap((id) => forget(accountId, id)));
      forgotten += gone.length;
    }
    return forgotten;
  };

  return {
    prune: async (account, { before, kept }, limit) => {
      const accountId = db.knownAccountId(account);
      return db.write(() => {
        const newest = newestOf.get(accountId) ?? 0;
        const staying = new Set([...kept, ...foundOf.all(accountId)]);
        return forget(accountId, Math.min(before, newest - SUMS_KEPT_MS), staying, limit);
      });
    },
  };
};
