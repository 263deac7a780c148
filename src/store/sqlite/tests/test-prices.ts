// Stores what calls of the provider's proxy test cost (test runs), which is the expected price of the next one.

import { DAY } from '../../../lib/time.ts';
import type { TestCall } from '../../test-store.ts';
import type { Database } from '../file/database.ts';

/** The price is the highest of the last days with calls. A single expensive call is dropped after this many days. */
const DAYS_KEPT = 3;

export const createTestPrices = ({ sql, prepareValue }: Database) => {
  const highestOfDay = prepareValue<[number, number, string], number>(
    'SELECT runs FROM test_price WHERE account_id = ? AND at = ? AND price_key = ?',
  );
  const deleteOtherKeys = sql.prepare('DELETE FROM test_price WHERE account_id = ? AND price_key <> ?');
  const put = sql.prepare(
    `INSERT INTO test_price (account_id, at, price_key, runs) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET runs = excluded.runs WHERE excluded.runs > runs`,
  );
  const deleteOldDays = sql.prepare(
    `DELETE FROM test_price WHERE account_id = @accountId AND at NOT IN (
       SELECT at FROM test_price WHERE account_id = @accountId ORDER BY at DESC LIMIT ${DAYS_KEPT})`,
  );
  const highest = prepareValue<[number, string], number | null>(
    'SELECT max(runs) FROM test_price WHERE account_id = ? AND price_key = ?',
  );

  return {
    /** Stores what an answered call cost. Must run inside a transaction. */
    record: (accountId: number, { call = 'ok', runs = 1, priceKey = '', now }: TestCall): void => {
      // The cost of a call without an answer is unknown.
      if (call !== 'ok') return;
      const at = Math.floor(now / DAY) * DAY;
      // Most calls cost the same as earlier ones, so there is nothing to write.
      if ((highestOfDay.get(accountId, at, priceKey) ?? 0) >= runs) return;
      deleteOtherKeys.run(accountId, priceKey);
      put.run(accountId, at, priceKey, runs);
      deleteOldDays.run({ accountId });
    },
    highest: (accountId: number, priceKey: string): number => highest.get(accountId, priceKey) ?? 1,
  };
};
