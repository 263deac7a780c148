// Proxy tests: brings a batch to all of its tables in one transaction, and their readings behind one door.

import type { TestBatch, TestStore } from '../test-store.ts';
import type { Database } from './database.ts';
import { createFaults } from './faults.ts';
import { createListings } from './listings.ts';
import { createRecentFailures } from './recent-failures.ts';
import { createSubjects } from './subjects.ts';
import { type NumberedBatch, namesIn } from './test-batch.ts';
import { createTestCalls } from './test-calls.ts';
import { createTestCells } from './test-cells.ts';
import { createTestSums } from './test-sums.ts';
import { createTestTotals } from './test-totals.ts';

export const createTestStore = (db: Database): TestStore => {
  const listings = createListings(db, 'proxy_tests');
  const subjects = createSubjects(db);
  const calls = createTestCalls(db, listings);
  const cells = createTestCells(db, subjects);
  const totals = createTestTotals(db);
  const sums = createTestSums(db, subjects);
  const recentFailures = createRecentFailures(db);

  const numbered = (accountId: number, batch: TestBatch): NumberedBatch => {
    const idOf = subjects.learn(namesIn(batch));
    const results = batch.results.map((result) => ({
      ...result,
      proxy: idOf(result.proxy),
      url: idOf(result.url),
      tester: idOf(result.tester),
    }));
    const heldUntil = db.read(() => listings.heldUntil(accountId, batch.now));
    return { accountId, results, proxies: batch.proxies.map(idOf), now: batch.now, heldUntil };
  };

  return {
    ...calls.operations,
    ...cells.readings,
    ...totals.readings,
    ...sums.readings,
    ...recentFailures.readings,
    ...createFaults(db),
    saveBatch: async (account, batch) => {
      const accountId = db.accountId(account);
      const rows = numbered(accountId, batch);
      db.write(() => {
        for (const table of [cells, totals, sums, recentFailures]) table.add(rows);
        calls.noteRuns(accountId, batch.runs ?? 1);
        listings.touch(accountId, batch.startedAt ?? batch.now);
      });
    },
    storedAt: async (account) => db.read(() => listings.of(db.knownAccountId(account)).storedAt),
  };
};
