// Reads of a ledger what its bytes cost depends on: use by date, since when there are rows, and the newest purchase.

import type { LedgerStore } from '../../ledger-store.ts';
import type { Database } from '../file/database.ts';
import type { LedgerTable } from './rows.ts';

const OF_REASONS = 'account_id = ? AND reason IN (SELECT value FROM json_each(?))';

export const ledgerUseOf = (
  { rowOf, rowsOf }: Database,
  table: LedgerTable,
): Pick<LedgerStore, 'firstDate' | 'usedByDate' | 'newestAdded'> => {
  const first = rowOf<[], { date: string | null }>(
    `SELECT min(period_date) AS date FROM ${table} WHERE account_id = ?`,
  );
  const used = rowsOf<[reasons: string, from: string], { date: string; bytes: number }>(
    `SELECT period_date AS date, sum(used_bytes) AS bytes FROM ${table}
     WHERE ${OF_REASONS} AND period_date >= ? GROUP BY period_date`,
  );
  const newestDate = rowOf<[reasons: string], { date: string | null }>(
    `SELECT max(period_date) AS date FROM ${table} WHERE ${OF_REASONS} AND added_bytes > 0`,
  );
  // The row that was created last: max() decides from which row the other column is.
  const addedOn = rowOf<[reasons: string, date: string | null], { bytes: number | null }>(
    `SELECT added_bytes AS bytes, max(created_at) FROM ${table}
     WHERE ${OF_REASONS} AND added_bytes > 0 AND period_date = ?`,
  );
  return {
    firstDate: async (account) => (await first(account))?.date ?? null,
    usedByDate: async (account, reasons, from) =>
      new Map((await used(account, JSON.stringify(reasons), from)).map(({ date, bytes }) => [date, bytes])),
    newestAdded: async (account, reasons) => {
      const listed = JSON.stringify(reasons);
      const date = (await newestDate(account, listed))?.date ?? null;
      return (await addedOn(account, listed, date))?.bytes ?? undefined;
    },
  };
};
