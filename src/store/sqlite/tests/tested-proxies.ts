// Stores when each proxy was last tested, and in how many rounds in a row it failed.

import type { TestedProxy, TestStore } from '../../test-store.ts';
import type { Database } from '../file/database.ts';
import type { Subjects } from './subjects.ts';
import type { ResolvedBatch } from './test-batch.ts';

export interface TestedProxies {
  /** Must run inside a transaction. */
  add(batch: ResolvedBatch): void;
  readonly queries: Pick<TestStore, 'proxies' | 'testedProxy'>;
}

export const createTestedProxies = (db: Database, subjects: Subjects): TestedProxies => {
  const { sql } = db;
  const putTested = sql.prepare(
    `INSERT INTO tested_proxy (account_id, proxy, last_tested_at, failing_rounds) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET last_tested_at = excluded.last_tested_at,
       failing_rounds = iif(excluded.failing_rounds = 0, 0, failing_rounds + 1)`,
  );
  const putWithoutResult = sql.prepare(
    `INSERT INTO tested_proxy (account_id, proxy, last_tested_at, failing_rounds) VALUES (?, ?, ?, 0)
     ON CONFLICT DO UPDATE SET last_tested_at = excluded.last_tested_at`,
  );
  const proxiesOf = sql.prepare<[number], TestedProxy>(
    `SELECT subject.text AS proxy, last_tested_at AS lastTestedAt, failing_rounds AS failingRounds
     FROM tested_proxy JOIN subject ON subject.id = proxy WHERE account_id = ? ORDER BY subject.text`,
  );
  const proxyOf = sql.prepare<[number, number], Omit<TestedProxy, 'proxy'>>(
    `SELECT last_tested_at AS lastTestedAt, failing_rounds AS failingRounds
     FROM tested_proxy WHERE account_id = ? AND proxy = ?`,
  );

  return {
    add: ({ accountId, results, proxies, now }) => {
      const answered = new Set<number>();
      const failed = new Set<number>();
      for (const { proxy, isSuccessful } of results) {
        answered.add(proxy);
        if (!isSuccessful) failed.add(proxy);
      }
      for (const proxy of answered) putTested.run(accountId, proxy, now, Number(failed.has(proxy)));
      for (const proxy of proxies) if (!answered.has(proxy)) putWithoutResult.run(accountId, proxy, now);
    },
    queries: {
      proxies: async (account) => db.read(() => proxiesOf.all(db.knownAccountId(account))),
      testedProxy: async (account, proxy) => {
        const found = db.read(() => proxyOf.get(db.knownAccountId(account), subjects.idOf(proxy)));
        return found && { proxy, ...found };
      },
    },
  };
};
