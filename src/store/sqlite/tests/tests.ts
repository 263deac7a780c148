// Stores a batch of proxy tests in all of its tables in one transaction, and combines their queries in one `TestStore`.

import type { TestBatch, TestStore } from '../../test-store.ts';
import { createListings } from '../accounts/listings.ts';
import type { Database } from '../file/database.ts';
import { createTestCells } from './cells.ts';
import { createTestPrune } from './delete-untested.ts';
import { createChangedCauses, createFaults } from './faults.ts';
import { createRecentFailures } from './recent-failures.ts';
import { createSubjects, type ResolvedBatch, resolveBatch } from './subjects.ts';
import { createSumQueries, createTestSums } from './sums.ts';
import { createTestCalls } from './test-calls.ts';
import { createTestedProxies, createTestObservations } from './tested-proxies.ts';
import { createFailureCounts, createUrlTesters } from './totals.ts';

export const createTestStore = (db: Database): TestStore => {
  const listings = createListings(db, 'proxy_tests');
  const subjects = createSubjects(db);
  const calls = createTestCalls(db, listings);
  const testedProxies = createTestedProxies(db, subjects);
  const urlTesters = createUrlTesters(db);
  const observations = createTestObservations(db);
  const failureCounts = createFailureCounts(db);
  const sums = createTestSums(db);
  const cells = createTestCells(db, subjects, urlTesters, sums);
  const recentFailures = createRecentFailures(db, subjects);

  // Observations are part of the rows of the tested proxies.
  const additions = [
    ...[testedProxies.add, observations.add, urlTesters.add],
    ...[cells.add, failureCounts.add, sums.add, recentFailures.add],
  ];

  const resolve = (accountId: number, batch: TestBatch): ResolvedBatch => {
    const { known, heldUntil } = db.read(() => ({
      known: urlTesters.known(accountId),
      heldUntil: listings.heldUntil(accountId, batch.now),
    }));
    return { ...resolveBatch(batch, known, subjects), accountId, now: batch.now, heldUntil };
  };

  return {
    ...calls.operations,
    ...testedProxies.queries,
    ...observations.queries,
    ...cells.queries,
    ...urlTesters.queries,
    ...failureCounts.queries,
    ...createSumQueries(db, subjects),
    ...createChangedCauses(db, subjects),
    ...recentFailures.queries,
    ...createFaults(db),
    ...createTestPrune(db, subjects),
    saveBatch: async (account, batch) => {
      const accountId = db.accountId(account);
      const rows = resolve(accountId, batch);
      db.write(() => {
        for (const add of additions) add(rows);
        calls.count(accountId, batch);
        listings.recordPage(accountId, batch.startedAt ?? batch.now);
      });
    },
    storedAt: db.readOf((accountId) => listings.of(accountId).storedAt),
  };
};
