// Stores the results of the daily reconciliation.

import type { ReconciledDay, ReconciliationStore } from '../reconciliation-store.ts';
import { type Database, writeFor } from './file/database.ts';
import { describeRow, json, plain, type RowOf } from './row.ts';

const ROW = describeRow<ReconciledDay>({
  ...plain('pair dayStart date firstBytes secondBytes unexplainedBytes'),
  ...json('explained hours'),
});
type Row = RowOf<ReconciledDay>;

export const createReconciliationStore = (db: Database): ReconciliationStore => {
  const { sql } = db;
  const put = sql.prepare(
    `INSERT OR REPLACE INTO reconciliation (account_id, reconciled_at, ${ROW.columns})
     VALUES (@accountId, @now, ${ROW.values})`,
  );
  const newest = sql.prepare<{ accountId: number }, Row>(
    `SELECT ${ROW.selected} FROM reconciliation AS found WHERE account_id = @accountId AND day_start = (
       SELECT max(day_start) FROM reconciliation WHERE account_id = @accountId AND pair = found.pair)
     ORDER BY pair`,
  );
  const daysIn = sql.prepare<[number, number, number], Row>(
    `SELECT ${ROW.selected} FROM reconciliation WHERE account_id = ? AND day_start >= ? AND day_start < ? ORDER BY day_start, pair`,
  );
  return {
    save: (account, days, now) =>
      writeFor(db, account, (accountId) => {
        for (const day of days) put.run({ accountId, now, ...ROW.toRow(day) });
      }),
    newest: async (account) =>
      db.read(() => newest.all({ accountId: db.knownAccountId(account) }).map(ROW.fromRow)),
    days: async (account, from, to) =>
      db.read(() => daysIn.all(db.knownAccountId(account), from, to).map(ROW.fromRow)),
  };
};
