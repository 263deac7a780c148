// Deletes proxies, URLs and testers that are no longer tested, one slice at a time.

import type { TestStore } from '../../test-store.ts';
import type { Database } from '../file/database.ts';
import type { Subjects } from './subjects.ts';
import { DAY_SUMS_RETENTION_MS } from './sums.ts';

interface OldSubject {
  readonly id: number;
  readonly name: string;
}

export const createTestPrune = (db: Database, subjects: Subjects): Pick<TestStore, 'prune'> => {
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
