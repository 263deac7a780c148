// The ledger's rows as a list, by date and id.

import type { LedgerPosition, StoredLedgerRow } from '../ledger-store.ts';
import type { Database } from './database.ts';

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
  // Of the index by date, which ends with the id.
  const after = sql.prepare<[number, string, string, string, string, number], StoredLedgerRow>(
    `SELECT ${LEDGER_ROW_COLUMNS} FROM ledger
     WHERE account_id = ? AND period_date >= ? AND period_date < ? AND (period_date, id) > (?, ?)
     ORDER BY period_date, id LIMIT ?`,
  );
  return {
    after: (accountId, from, to, position, limit) =>
      after.all(accountId, from, to, position?.periodDate ?? from, position?.id ?? '', limit),
  };
};
