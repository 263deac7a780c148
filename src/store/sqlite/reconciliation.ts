// Stores the results of the daily reconciliation.

import type { ReconciledDay, ReconciliationStore } from '../reconciliation-store.ts';
import type { Database } from './file/database.ts';

type Row = Omit<ReconciledDay, 'explained' | 'hours'> & {
  readonly explained: string;
  readonly hours: string;
};

const ROW = `SELECT pair, day_start AS dayStart, date, first_bytes AS firstBytes, second_bytes AS secondBytes,
  explained, unexplained_bytes AS unexplainedBytes, hours FROM reconciliation`;

export const createReconciliationStore = (db: Database): ReconciliationStore => {
  const { sql } = db;
  const put = sql.prepare(
    `INSERT OR REPLACE INTO reconciliation VALUES (@accountId, @pair, @dayStart, @date, @firstBytes, @secondBytes,
       @explained, @unexplainedBytes, @hours, @now)`,
  );
  const newest = sql.prepare<{ accountId: number }, Row>(
    `${ROW} AS found WHERE account_id = @accountId AND day_start = (
       SELECT max(day_start) FROM reconciliation WHERE account_id = @accountId AND pair = found.pair)
     ORDER BY pair`,
  );
  const daysIn = sql.prepare<[number, number, number], Row>(
    `${ROW} WHERE account_id = ? AND day_start >= ? AND day_start < ? ORDER BY day_start, pair`,
  );
  return {
    save: async (account, days, now) => {
      const accountId = db.accountId(account);
      db.write(() => {
        for (const { explained, hours, ...day } of days) {
          const json = { explained: JSON.stringify(explained), hours: JSON.stringify(hours) };
          put.run({ accountId, now, ...day, ...json });
        }
      });
    },
    newest: async (account) =>
      db.read(() => newest.all({ accountId: db.knownAccountId(account) }).map(fromRow)),
    days: async (account, from, to) =>
      db.read(() => daysIn.all(db.knownAccountId(account), from, to).map(fromRow)),
  };
};

const fromRow = ({ explained, hours, ...day }: Row): ReconciledDay => ({
  ...day,
  explained: JSON.parse(explained),
  hours: JSON.parse(hours),
});
