// Sums what a page of the ledger changes, by reason and date, so that published days get one correction for each page.

import { LEDGER_COUNTERS, publishedDate, type StoredLedgerRow } from '../../ledger-store.ts';
import type { RowValues } from '../../publication-store.ts';
import { type Corrections, differencesOf } from '../publication/corrections.ts';

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
