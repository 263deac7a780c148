// Stores the last run of each account and collector.

import type { FinishedRun, RunState, RunStore } from '../../account-store.ts';
import type { Database } from '../file/database.ts';
import type { Epochs } from '../file/epoch.ts';
import { describeRow, plain } from '../row.ts';

/** After a longer gap between runs, `watched_since` starts again. */
const MAX_GAP_INTERVALS = 3;

/** The columns that a run sets. A failed run keeps the items and parts of the last run that did not fail. */
const RUN = describeRow<Omit<FinishedRun, 'account' | 'isSuccess' | 'pass'>>(
  plain('collector startedAt finishedAt result errorKind errorMessage intervalMs skippedItems failingParts'),
  ['collector', 'skippedItems', 'failingParts'],
);
const STATE = describeRow<Pick<RunState, 'lastSuccessAt' | 'failures' | 'watchedSince' | 'wholeListingMs'>>(
  plain('lastSuccessAt failures watchedSince wholeListingMs'),
);

export const createRunStore = (db: Database, epochs: Pick<Epochs, 'advance' | 'updateSidecar'>): RunStore => {
  const upsert = db.sql.prepare(
    `INSERT INTO run (account_id, ${RUN.columns}, last_success_at, failures, watched_since, whole_listing_ms)
     VALUES (@accountId, ${RUN.values}, iif(@isSuccess, @finishedAt, NULL), iif(@result = 'failed', 1, 0), @startedAt,
       coalesce(@passMs, 0))
     ON CONFLICT DO UPDATE SET ${RUN.updates},
       last_success_at = coalesce(excluded.last_success_at, last_success_at),
       failures = iif(excluded.failures = 0, 0, failures + 1),
       skipped_items = iif(excluded.failures = 0, excluded.skipped_items, skipped_items),
       failing_parts = iif(excluded.failures = 0, excluded.failing_parts, failing_parts),
       whole_listing_ms = CASE WHEN @passMs IS NULL THEN whole_listing_ms WHEN @isCompletePass THEN @passMs
         ELSE max(whole_listing_ms, @passMs) END`,
  );
  const watch = db.sql.prepare(
    `UPDATE run SET watched_since = @now WHERE account_id = @accountId AND collector = @collector
       AND finished_at < @now - ${MAX_GAP_INTERVALS} * interval_ms`,
  );
  const statesOf = db.sql.prepare<[string], Omit<RunState, 'isSuccess'>>(
    `SELECT account.name AS account, ${RUN.selected}, ${STATE.selected} FROM run JOIN account ON account.id = account_id WHERE account.name = ? ORDER BY collector`,
  );
  return {
    record: async ({ account, isSuccess, pass, ...run }) => {
      const accountId = db.accountId(account);
      db.write(() => {
        const isCompletePass = Number(pass?.isComplete ?? false);
        const passMs = pass?.ms ?? null;
        upsert.run({ accountId, isSuccess: Number(isSuccess), passMs, isCompletePass, ...run });
        epochs.advance();
      });
      // What the run stored is shown next. From now on, an older file would show less.
      epochs.updateSidecar();
    },
    watch: async (account, collector, now) => {
      const accountId = db.knownAccountId(account);
      db.write(() => watch.run({ accountId, collector, now }));
    },
    states: async (account) =>
      db
        .read(() => statesOf.all(account))
        .map((run) => ({
          ...run,
          isSuccess: run.result !== 'failed' && run.lastSuccessAt === run.finishedAt,
        })),
  };
};
