// Proxy tests: brings a batch to all of its tables in one transaction, and their readings behind one door.

import type { TestBatch, TestStore } from '../../test-store.ts';
import { createListings } from '../accounts/listings.ts';
import type { Database } from '../file/database.ts';
import { createTestCells } from './cells.ts';
import { createFaults } from './faults.ts';
import { createTestObservations } from './observations.ts';
import { createTestPrune } from './prune.ts';
import { createRecentFailures } from './recent-failures.ts';
import { createSubjects } from './subjects.ts';
import { createTestSums } from './sums.ts';
import { type NumberedBatch, numbered } from './test-batch.ts';
import { createTestCalls } from './test-calls.ts';
import { createTestTotals } from './totals.ts';
import { createTestTurns } from './turns.ts';
import { createUrlTesters } from './url-testers.ts';

export const createTestStore = (db: Database): TestStore => {
  const listings = createListings(db, 'proxy_tests');
  const subjects = createSubjects(db);
  const calls = createTestCalls(db, listings);
  const turns = createTestTurns(db);
  const urlTesters = createUrlTesters(db);
  const sightings = createTestObservations(db);
  const totals = createTestTotals(db);
  const sums = createTestSums(db, subjects);
  const cells = createTestCells(db, subjects, urlTesters, sums);
  const recentFailures = createRecentFailures(db);

  const rowsOf = (accountId: number, batch: TestBatch): NumberedBatch => {
    const { known, heldUntil } = db.read(() => ({
      known: urlTesters.known(accountId),
      heldUntil: listings.heldUntil(accountId, batch.now),
    }));
    return { ...numbered(batch, known, subjects), accountId, now: batch.now, heldUntil };
  };

  return {
    ...calls.operations,
    ...turns.readings,
    ...sightings.readings,
    ...cells.readings,
    ...urlTesters.readings,
    ...totals.readings,
    ...sums.readings,
    ...recentFailures.readings,
    ...createFaults(db),
    ...createTestPrune(db, subjects),
    saveBatch: async (account, batch) => {
      const accountId = db.accountId(account);
      const rows = rowsOf(accountId, batch);
      db.write(() => {
        for (const table of [turns, sightings, urlTesters, cells, totals, sums, recentFailures])
          table.add(rows);
        calls.count(accountId, batch);
        listings.touch(accountId, batch.startedAt ?? batch.now);
      });
    },
    storedAt: async (account) => db.read(() => listings.of(db.knownAccountId(account)).storedAt),
  };
};
