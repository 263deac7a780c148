// Statements of when each proxy had its turn, and how it went.

import type { TestedProxy, TestStore } from '../../test-store.ts';
import type { Database } from '../file/database.ts';
import type { NumberedBatch } from './test-batch.ts';

export interface TestTurns {
  /** Inside a transaction. */
  add(batch: NumberedBatch): void;
  readonly readings: Pick<TestStore, 'proxies'>;
}

export const createTestTurns = (db: Database): TestTurns => {
  const { sql } = db;
  const putTurn = sql.prepare(
    `INSERT INTO tested_proxy (account_id, proxy, last_tested_at, failing_rounds) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET last_tested_at = excluded.last_tested_at,
       failing_rounds = iif(excluded.failing_rounds = 0, 0, failing_rounds + 1)`,
  );
  const passTurn = sql.prepare(
    `INSERT INTO tested_proxy (account_id, proxy, last_tested_at, failing_rounds) VALUES (?, ?, ?, 0)
     ON CONFLICT DO UPDATE SET last_tested_at = excluded.last_tested_at`,
  );
  const proxiesOf = sql.prepare<[number], TestedProxy>(
    `SELECT subject.text AS proxy, last_tested_at AS lastTestedAt, failing_rounds AS failingRounds
     FROM tested_proxy JOIN subject ON subject.id = proxy WHERE account_id = ? ORDER BY subject.text`,
  );

  return {
    add: ({ accountId, results, proxies, now }) => {
      const answered = new Set<number>();
      const failed = new Set<number>();
      for (const { proxy, isSuccessful } of results) {
        answered.add(proxy);
        if (!isSuccessful) failed.add(proxy);
      }
      for (const proxy of answered) putTurn.run(accountId, proxy, now, Number(failed.has(proxy)));
      for (const proxy of proxies) if (!answered.has(proxy)) passTurn.run(accountId, proxy, now);
    },
    readings: {
      proxies: async (account) => db.read(() => proxiesOf.all(db.knownAccountId(account))),
    },
  };
};
