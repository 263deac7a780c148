// Statements of what a call of the provider's test costs.

import { DAY } from '../../../lib/time.ts';
import type { TestBatch, TestStore } from '../../test-store.ts';
import type { Database } from '../file/database.ts';

/** Days with calls whose highest price counts: a single expensive call is forgotten after as many others. */
const DAYS_KEPT = 3;

export interface TestPrices {
  /** Remembers what an answered call has cost. Inside a transaction. */
  note(accountId: number, call: TestBatch): void;
  readonly readings: Pick<TestStore, 'priceOf'>;
}

export const createTestPrices = (db: Database): TestPrices => {
  const { sql } = db;
  const ofDay = sql
    .prepare<[number, number, string], number>(
      'SELECT runs FROM test_price WHERE account_id = ? AND at = ? AND price_key = ?',
    )
    .pluck();
  const dropOthers = sql.prepare('DELETE FROM test_price WHERE account_id = ? AND price_key <> ?');
  const put = sql.prepare(
    `INSERT INTO test_price (account_id, at, price_key, runs) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET runs = excluded.runs WHERE excluded.runs > runs`,
  );
  const dropOld = sql.prepare(
    `DELETE FROM test_price WHERE account_id = @accountId AND at NOT IN (
       SELECT at FROM test_price WHERE account_id = @accountId ORDER BY at DESC LIMIT ${DAYS_KEPT})`,
  );
  const highest = sql
    .prepare<[number, string], number | null>(
      'SELECT max(runs) FROM test_price WHERE account_id = ? AND price_key = ?',
    )
    .pluck();

  return {
    note: (accountId, { call = 'ok', runs = 1, priceKey = '', now }) => {
      // The cost of a call without an answer is unknown.
      if (call !== 'ok') return;
      const at = Math.floor(now / DAY) * DAY;
      // Most calls cost the same as those before, so there is nothing to write.
      if ((ofDay.get(accountId, at, priceKey) ?? 0) >= runs) return;
      dropOthers.run(accountId, priceKey);
      put.run(accountId, at, priceKey, runs);
      dropOld.run({ accountId });
    },
    readings: {
      priceOf: async (account, priceKey) =>
        db.read(() => highest.get(db.knownAccountId(account), priceKey) ?? 1),
    },
  };
};
