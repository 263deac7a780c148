// Stores the results of the daily reconciliation.

import type { ReconciledDay, ReconciliationStore } from '../reconciliation-store.ts';
import type { Database } from './file/database.ts';
import { describeRow, json, plain } from './row.ts';

const ROW = describeRow<ReconciledDay>({
  ...plain('pair dayStart date firstBytes secondBytes unexplainedBytes'),
  ...json('explained hours'),
});
const DAYS = `SELECT ${ROW.selected} FROM reconciliation AS found WHERE account_id = ?`;

export const createReconciliationStore = (db: Database): ReconciliationStore => {
  const put = db.sql.prepare(
    `INSERT OR REPLACE INTO reconciliation (account_id, reconciled_at, ${ROW.columns})
     VALUES (@accountId, @now, ${ROW.values})`,
  );
  return {
    save: db.writeOf((accountId, days, now) => {
      for (const day of days) put.run({ accountId, now, ...ROW.toRow(day) });
    }),
    newest: db.rowsOf(
      `${DAYS} AND day_start = (SELECT max(day_start) FROM reconciliation
         WHERE account_id = found.account_id AND pair = found.pair) ORDER BY pair`,
      ROW.fromRow,
    ),
    days: db.rowsOf(`${DAYS} AND day_start >= ? AND day_start < ? ORDER BY day_start, pair`, ROW.fromRow),
  };
};
