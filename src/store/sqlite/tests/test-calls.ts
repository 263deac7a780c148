// Statements of the calls of the provider's test: what they spent of the day's budget, and how they ended.

import { DAY, MINUTE } from '../../../lib/time.ts';
import { CALL_RESULTS, type SpentRuns, type TestBatch, type TestStore } from '../../test-store.ts';
import type { Listings } from '../accounts/listings.ts';
import { createCounters } from '../counters.ts';
import type { Database } from '../file/database.ts';
import { createLostTimes } from '../file/lost-times.ts';
import { createTestPrices } from './prices.ts';

/** Fine enough for a window of a day, and few rows. */
const SPEND_SLOT_MS = 10 * MINUTE;
/** Also tells since when tests go on without a break. */
const SPEND_KEPT_MS = 8 * DAY;

export interface TestCalls {
  /** Counts a call, and remembers what it has cost. Inside a transaction. */
  count(accountId: number, call: TestBatch): void;
  readonly operations: Pick<TestStore, 'open' | 'spend' | 'spent' | 'lostTimes' | 'priceOf' | 'calls'>;
}

export const createTestCalls = (db: Database, listings: Listings): TestCalls => {
  const { sql } = db;
  const counters = createCounters(db);
  const addSpend = sql.prepare(
    `INSERT INTO test_spend VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET runs = runs + excluded.runs`,
  );
  const dropSpend = sql.prepare('DELETE FROM test_spend WHERE account_id = ? AND at < ?');
  const spentSince = sql.prepare<[number, number], SpentRuns>(
    'SELECT at, runs FROM test_spend WHERE account_id = ? AND at >= ? ORDER BY at',
  );
  const prices = createTestPrices(db);
  const lostTimes = createLostTimes(db);
  const callsOf = (accountId: number): string => `proxy_tests/${accountId}/calls`;

  return {
    count: (accountId, batch) => {
      const { call = 'ok', now, startedAt = now } = batch;
      prices.note(accountId, batch);
      counters.grow(callsOf(accountId), { [call]: 1 }, listings.heldUntil(accountId, startedAt));
    },
    operations: {
      open: async (account, now) => {
        const accountId = db.accountId(account);
        db.write(() => counters.create(callsOf(accountId), CALL_RESULTS, listings.heldUntil(accountId, now)));
      },
      spend: async (account, runs, now) => {
        const accountId = db.accountId(account);
        db.write(() => {
          addSpend.run(accountId, Math.floor(now / SPEND_SLOT_MS) * SPEND_SLOT_MS, runs);
          dropSpend.run(accountId, now - SPEND_KEPT_MS);
        });
      },
      spent: async (account, from) => db.read(() => spentSince.all(db.knownAccountId(account), from)),
      lostTimes: async () => db.read(() => lostTimes.all()),
      ...prices.readings,
      calls: async (account) => db.read(() => counters.of(callsOf(db.knownAccountId(account)), CALL_RESULTS)),
    },
  };
};
