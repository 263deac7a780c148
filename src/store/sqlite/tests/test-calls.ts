// Stores the calls of the provider's proxy test: the runs spent of the day's budget, how calls ended, and their price.

import { DAY, MINUTE } from '../../../lib/time.ts';
import { CALL_RESULTS, type TestCall, type TestStore } from '../../test-store.ts';
import type { Listings } from '../accounts/listings.ts';
import { createCounters } from '../counters.ts';
import type { Database } from '../file/database.ts';
import { createMissingPeriods } from '../file/epoch.ts';

/** Slots of this width are fine enough for a window of one day, and need few rows. */
const SPEND_SLOT_MS = 10 * MINUTE;
/** Longer than a day, because spending also shows since when tests have run without a break. */
const SPEND_RETENTION_MS = 8 * DAY;

export const createTestCalls = (db: Database, listings: Listings) => {
  const { sql } = db;
  const counters = createCounters(db);
  const addSpend = sql.prepare(
    `INSERT INTO test_spend VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET runs = runs + excluded.runs`,
  );
  const deleteOldSpend = sql.prepare('DELETE FROM test_spend WHERE account_id = ? AND at < ?');
  const prices = createTestPrices(db);
  const missingPeriods = createMissingPeriods(db);
  const counterOwner = (accountId: number): string => `proxy_tests/${accountId}/calls`;

  const count = (accountId: number, made: TestCall): void => {
    const { call = 'ok', now, startedAt = now } = made;
    prices.record(accountId, made);
    counters.grow(counterOwner(accountId), { [call]: 1 }, listings.heldUntil(accountId, startedAt));
  };

  return {
    /** Counts a call and stores what it cost. Must run inside a transaction. */
    count,
    operations: {
      countCall: db.writeOf(count),
      open: db.writeOf((accountId, now) =>
        counters.create(counterOwner(accountId), CALL_RESULTS, listings.heldUntil(accountId, now)),
      ),
      spend: db.writeOf((accountId, runs, now) => {
        addSpend.run(accountId, Math.floor(now / SPEND_SLOT_MS) * SPEND_SLOT_MS, runs);
        deleteOldSpend.run(accountId, now - SPEND_RETENTION_MS);
      }),
      spent: db.rowsOf('SELECT at, runs FROM test_spend WHERE account_id = ? AND at >= ? ORDER BY at'),
      missingPeriods: db.readOf(missingPeriods.of),
      priceOf: db.readOf(prices.highest),
      calls: db.readOf((accountId) => counters.of(counterOwner(accountId), CALL_RESULTS)),
    } satisfies Pick<
      TestStore,
      'open' | 'countCall' | 'spend' | 'spent' | 'missingPeriods' | 'priceOf' | 'calls'
    >,
  };
};

/** The price is the highest of the last days with calls. A single expensive call is dropped after this many days. */
const DAYS_KEPT = 3;

const createTestPrices = ({ sql, prepareValue }: Database) => {
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
