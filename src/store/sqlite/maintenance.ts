// Maintenance in slices: each a transaction of its own, with the event loop free in between.

import type { MaintenancePlan } from '../maintenance.ts';
import type { Store } from '../store.ts';
import { createBucketTiers } from './bucket-tiers.ts';
import type { Database } from './database.ts';
import { createGone } from './gone.ts';
import { createOldRows } from './old-rows.ts';
import { createReconciliationPrune } from './reconciliation.ts';
import type { Slice } from './slice.ts';
import { createUsageTiers } from './usage-tiers.ts';
import { createVacuum } from './vacuum.ts';

export const createMaintenance = (db: Database): Store['maintain'] => {
  const buckets = createBucketTiers(db);
  const usage = createUsageTiers(db);
  const gone = createGone(db);
  const oldRows = createOldRows(db);
  const reconciliations = createReconciliationPrune(db);
  const vacuum = createVacuum(db);

  const work = function* ({ now, retention, accounts }: MaintenancePlan): Generator<Slice[]> {
    for (const graph of db.read(buckets.graphs)) yield buckets.slices(graph, retention, now);
    for (const account of accounts) {
      yield usage.slices(account, retention, now);
      yield gone.userSlices(account, retention, now);
      yield oldRows.slices(account, retention, now);
      yield [reconciliations(account, now - retention.dailyMs)];
    }
    db.write(() => gone.retire(accounts, now - retention.dailyMs));
    yield db.read(gone.retiredSlices);
  };

  const finish = async (slice: Slice, signal: AbortSignal): Promise<number> => {
    let sum = 0;
    for (let done = 1; done > 0 && !signal.aborted; sum += done) {
      done = db.write(slice);
      await new Promise(setImmediate);
    }
    return sum;
  };

  return async (plan) => {
    let deletedRows = 0;
    for (const slices of work(plan)) {
      if (plan.signal.aborted) break;
      for (const slice of slices) deletedRows += await finish(slice, plan.signal);
    }
    await finish(vacuum, plan.signal);
    db.checkpoint();
    return { deletedRows };
  };
};
