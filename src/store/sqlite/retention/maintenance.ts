// Runs the store's maintenance in slices. Each slice is a transaction, and the event loop is free between two slices.

import type { Progress } from '../../../lib/progress.ts';
import type { MaintenancePlan, Store } from '../../store.ts';
import type { Database } from '../file/database.ts';
import { createHistoryPrune } from '../notifications/history.ts';
import { SLICE_ROWS, type Slice } from '../slices.ts';
import { ofTables } from '../tables.ts';
import { createBucketRollup } from '../traffic/bucket-rollup.ts';
import { createUseRetention } from '../user-use/use-retention.ts';
import { createUsageRollup } from '../users/usage-history.ts';
import { createRemovedData } from './delete-removed.ts';

export const createMaintenance = (db: Database): Store['maintain'] => {
  const buckets = createBucketRollup(db);
  const usage = createUsageRollup(db);
  const deleteOldUse = createUseRetention(db);
  const removedData = createRemovedData(db);
  const deleteExpired = ofTables(
    ({ expired }, table) =>
      expired &&
      db.sql.prepare<{ accountId: number; oldest: number }>(
        `DELETE FROM ${table} WHERE account_id = @accountId AND ${expired} LIMIT ${SLICE_ROWS}`,
      ),
  );
  const pruneHistory = createHistoryPrune(db);
  const vacuum = createVacuum(db);

  const expirySlices = (account: string, oldest: number): Slice[] => {
    const accountId = db.knownAccountId(account);
    return deleteExpired.map((statement) => () => statement.run({ accountId, oldest }).changes);
  };

  const steps = function* ({ now, retention, accounts }: MaintenancePlan): Generator<Step> {
    yield* stepsFor('graphs', db.read(buckets.graphs), (graph) => buckets.slices(graph, retention, now));
    yield* stepsFor('accounts', accounts, (account) => [
      ...usage.slices(account, retention, now),
      ...removedData.userSlices(account, retention, now),
      ...expirySlices(account.name, now - retention.dailyMs),
    ]);
    db.write(() => removedData.markDeleted(accounts, now - retention.dailyMs));
    const deletions = [pruneHistory(now - retention.dailyMs), ...db.read(removedData.deletionSlices)];
    yield* stepsFor('tables', deletions, (slice) => [slice]);
  };

  /** Repeats a slice until nothing is left to do, and reports the sum after each. Returns the sum. */
  const repeatSlice = async (
    slice: Slice,
    signal: AbortSignal,
    onProgress = (_done: number): void => {},
  ): Promise<number> => {
    let sum = 0;
    for (let done = 1; done > 0 && !signal.aborted; sum += done) {
      done = db.write(slice);
      onProgress(sum + done);
      await new Promise(setImmediate);
    }
    return sum;
  };

  return async (plan) => {
    const { signal, progress = () => {} } = plan;
    let deletedRows = 0;
    for (const { slices, ...step } of steps(plan)) {
      if (signal.aborted) break;
      progress(step);
      for (const slice of slices) deletedRows += await repeatSlice(slice, signal);
    }
    deletedRows += await deleteOldUse(plan);
    const total = Math.ceil(vacuum.excessPages());
    await repeatSlice(vacuum.slice, signal, (done) => {
      if (total > 0) progress({ done: Math.min(done, total), total, unit: 'pages' });
    });
    db.checkpoint();
    return { deletedRows };
  };
};

/** The slices of one item; `done` is the number of items before it. */
interface Step extends Progress {
  readonly slices: readonly Slice[];
}

function* stepsFor<T>(
  unit: string,
  items: readonly T[],
  slicesOf: (item: T) => readonly Slice[],
): Generator<Step> {
  for (const [done, item] of items.entries()) {
    yield { slices: slicesOf(item), done, total: items.length, unit };
  }
}

/** Pages moved in one slice. */
const SLICE_PAGES = 500;
/** Free pages that are kept, at least and as a share of all, because tomorrow's rows need what today's deletions free. */
const MIN_FREE_PAGES = 1_000;
const MIN_FREE_SHARE = 0.1;

const createVacuum = ({ sql }: Database) => {
  const numberOf = (name: string): number => Number(sql.pragma(name, { simple: true }));
  /** Returns the number of pages to release; 0 or less if there are none. */
  const excessPages = (): number => {
    const [free, pages] = [numberOf('freelist_count'), numberOf('page_count')];
    // Pages are released until the free ones are at most the share of the file's remaining size.
    return Math.min(free - MIN_FREE_PAGES, (free - MIN_FREE_SHARE * pages) / (1 - MIN_FREE_SHARE));
  };
  /** Returns the number of pages released. A file of an older program releases none and reuses its free pages. */
  const slice = (): number => {
    if (excessPages() <= 0) return 0;
    const free = numberOf('freelist_count');
    sql.pragma(`incremental_vacuum(${SLICE_PAGES})`);
    return free - numberOf('freelist_count');
  };
  return { excessPages, slice };
};
