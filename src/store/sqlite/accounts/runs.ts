// Stores the last run of each account and collector.

import type { RunState, RunStore } from '../../run-store.ts';
import type { Database } from '../file/database.ts';
import type { Epochs } from '../file/epoch.ts';

/** After a longer gap between runs, `watched_since` starts again. */
const MAX_GAP_INTERVALS = 3;

export const createRunStore = (db: Database, epochs: Pick<Epochs, 'advance' | 'updateSidecar'>): RunStore => {
  const upsert = db.sql.prepare(
    `INSERT INTO run (account_id, collector, started_at, finished_at, result, error_kind, error_message, interval_ms,
       last_success_at, failures, watched_since, skipped_items, failing_parts, whole_listing_ms)
     VALUES (@accountId, @collector, @startedAt, @finishedAt, @result, @errorKind, @errorMessage, @intervalMs,
       iif(@isSuccess, @finishedAt, NULL), iif(@result = 'failed', 1, 0), @startedAt, @skippedItems, @failingParts,
       coalesce(@passMs, 0))
     ON CONFLICT DO UPDATE SET
       started_at = excluded.started_at, finished_at = excluded.finished_at, result = excluded.result,
       error_kind = excluded.error_kind, error_message = excluded.error_message, interval_ms = excluded.interval_ms,
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
    `SELECT account.name AS account, collector, started_at AS startedAt, finished_at AS finishedAt, result,
       error_kind AS errorKind, error_message AS errorMessage, interval_ms AS intervalMs,
       last_success_at AS lastSuccessAt, failures,
       watched_since AS watchedSince, skipped_items AS skippedItems, failing_parts AS failingParts,
       whole_listing_ms AS wholeListingMs
     FROM run JOIN account ON account.id = account_id WHERE account.name = ? ORDER BY collector`,
  );
  return {
    record: async ({ account, isSuccess, pass, ...run }) => {
      const accountId = db.accountId(account);
      db.write(() => {
        const isCompletePass = Number(pass?.isComplete ?? false);
        upsert.run({
          accountId,
          isSuccess: Number(isSuccess),
          passMs: pass?.ms ?? null,
          isCompletePass,
          ...run,
        });
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
