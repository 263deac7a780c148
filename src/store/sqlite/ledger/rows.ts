// Reads pages of the ledger's rows, and sums what a page changes.

import {
  LEDGER_COUNTERS,
  type LedgerPosition,
  publishedDate,
  type StoredLedgerRow,
} from '../../ledger-store.ts';
import type { RowValues } from '../../publication-store.ts';
import type { Database } from '../file/database.ts';
import { type Corrections, differencesOf } from '../publication/corrections.ts';

export const LEDGER_ROW_COLUMNS = `id, reason, service_id AS serviceId, period_date AS periodDate, bytes,
  added_bytes AS addedBytes, used_bytes AS usedBytes, requests, adjustment_id AS adjustmentId, created_at AS createdAt,
  updated_at AS updatedAt`;

interface LedgerRows {
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

interface ChangedDay {
  readonly reason: string;
  readonly periodDate: string;
  readonly differences: RowValues;
}

const NO_VALUES: RowValues = LEDGER_COUNTERS.map(() => null);

export class ChangedDays {
  readonly #days = new Map<string, ChangedDay>();

  /** A row that gets another reason or date leaves its day and joins another one. */
  changed(before: StoredLedgerRow | undefined, after: StoredLedgerRow): void {
    if (before) this.#add(before, differencesOf(valuesOf(before), NO_VALUES));
    this.#add(after, valuesOf(after));
  }

  noteCorrections(corrections: Corrections, accountId: number): void {
    for (const { reason, periodDate, differences } of this.#days.values()) {
      const stream = corrections.streamOf(accountId, 'ledger', reason);
      if (stream) corrections.note(stream, publishedDate(periodDate), differences);
    }
  }

  #add({ reason, periodDate }: StoredLedgerRow, values: RowValues): void {
    const key = `${periodDate} ${reason}`;
    const sums = this.#days.get(key)?.differences ?? NO_VALUES;
    this.#days.set(key, { reason, periodDate, differences: sumOf(sums, values) });
  }
}

const valuesOf = (row: StoredLedgerRow): RowValues => LEDGER_COUNTERS.map((name) => row[name]);

/** A sum of 0 changes nothing. */
const sumOf = (sums: RowValues, values: RowValues): RowValues =>
  sums.map((sum, index) => (sum ?? 0) + (values[index] ?? 0) || null);
