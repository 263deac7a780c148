// Maintenance in slices: each a transaction of its own, with the event loop free in between.

import type { Progress } from '../../../lib/progress.ts';
import type { MaintenancePlan } from '../../maintenance.ts';
import type { Store } from '../../store.ts';
import type { Database } from '../file/database.ts';
import { createVacuum } from '../file/vacuum.ts';
import { createReconciliationPrune } from '../reconciliation.ts';
import type { Slice } from '../slices.ts';
import { createBucketTiers } from '../traffic/bucket-rollup.ts';
import { createUsageTiers } from '../users/usage-rollup.ts';
import { createOldRows } from './old-rows.ts';
import { createGone } from './removed.ts';

export const createMaintenance = (db: Database): Store['maintain'] => {
  const buckets = createBucketTiers(db);
  const usage = createUsageTiers(db);
  const gone = createGone(db);
  const oldRows = createOldRows(db);
  const reconciliations = createReconciliationPrune(db);
  const vacuum = createVacuum(db);

  const work = function* ({ now, retention, accounts }: MaintenancePlan): Generator<Step> {
    yield* inTurn('graphs', db.read(buckets.graphs), (graph) => buckets.slices(graph, retention, now));
    yield* inTurn('accounts', accounts, (account) => [
      ...usage.slices(account, retention, now),
      ...gone.userSlices(account, retention, now),
      ...oldRows.slices(account, retention, now),
      reconciliations(account, now - retention.dailyMs),
    ]);
    db.write(() => gone.retire(accounts, now - retention.dailyMs));
    yield* inTurn('tables', db.read(gone.retiredSlices), (slice) => [slice]);
  };

  /** Tells what is done so far after every slice. */
  const finish = async (
    slice: Slice,
    signal: AbortSignal,
    tell = (_done: number): void => {},
  ): Promise<number> => {
    let sum = 0;
    for (let done = 1; done > 0 && !signal.aborted; sum += done) {
      done = db.write(slice);
      tell(sum + done);
      await new Promise(setImmediate);
    }
    return sum;
  };

  return async (plan) => {
    const { signal, progress = () => {} } = plan;
    let deletedRows = 0;
    for (const { slices, ...step } of work(plan)) {
      if (signal.aborted) break;
      progress(step);
      for (const slice of slices) deletedRows += await finish(slice, signal);
    }
    const total = Math.ceil(vacuum.surplus());
    await finish(vacuum.slice, signal, (done) => {
      if (total > 0) progress({ done: Math.min(done, total), total, unit: 'pages' });
    });
    db.checkpoint();
    return { deletedRows };
  };
};

/** A thing that is maintained; `done` are those before it. */
interface Step extends Progress {
  readonly slices: readonly Slice[];
}

function* inTurn<T>(
  unit: string,
  things: readonly T[],
  slicesOf: (thing: T) => readonly Slice[],
): Generator<Step> {
  for (const [done, thing] of things.entries()) {
    yield { slices: slicesOf(thing), done, total: things.length, unit };
  }
}
