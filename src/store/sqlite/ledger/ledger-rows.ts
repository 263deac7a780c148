// Reads pages of the ledger's rows, ordered by date and id.

import type { LedgerPosition, StoredLedgerRow } from '../../ledger-store.ts';
import type { Database } from '../file/database.ts';

export const LEDGER_ROW_COLUMNS = `id, reason, service_id AS serviceId, period_date AS periodDate, bytes,
  added_bytes AS addedBytes, used_bytes AS usedBytes, requests, adjustment_id AS adjustmentId, created_at AS createdAt,
  updated_at AS updatedAt`;

export interface LedgerRows {
  after(
    accountId: number,
    from: string,
    to: string,
    after: LedgerPosition | null,
    limit: number,
  ): StoredLedgerRow[];
}

export const createLedgerRows = ({ sql }: Database): LedgerRows => {
  // The query has one lower bound, on the index by date, which ends with the id. With a second lower bound SQLite may
  // use only that one, and would read all rows before the position again for each page.
  const after = sql.prepare<[number, string, string, string, number], StoredLedgerRow>(
    `SELECT ${LEDGER_ROW_COLUMNS} FROM ledger
     WHERE account_id = ? AND (period_date, id) > (?, ?) AND period_date < ? ORDER BY period_date, id LIMIT ?`,
  );
  return {
    after: (accountId, from, to, position, limit) => {
      const { periodDate, id } =
        position && position.periodDate >= from ? position : { periodDate: from, id: '' };
      return after.all(accountId, periodDate, id, to, limit);
    },
  };
};
