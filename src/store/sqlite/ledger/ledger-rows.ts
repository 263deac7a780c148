// The ledger's rows as a list, by date and id.

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
  // One bound below, of the index by date, which ends with the id: beside a second one SQLite may look up by that
  // alone, and read all rows before the position again for each page.
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
