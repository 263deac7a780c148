// Describes the tables of ledgers, counters and the reconciliation. Reads pages of rows, and sums what a page changes.

import type { MeteredType } from '../../../lib/product-types.ts';
import {
  LEDGER_COUNTERS,
  type LedgerStore,
  publishedDate,
  type StoredLedgerRow,
} from '../../ledger-store.ts';
import type { RowValues, StreamKey } from '../../publication-store.ts';
import type { Database } from '../file/database.ts';
import { type Corrections, differencesOf } from '../publication/publication.ts';
import { describeRow, plain } from '../row.ts';
import { OF_ACCOUNT, ofAccount, shifted, storedAtOf, type Tables } from '../table.ts';

// The owner of a counter is graph/<graph>, <collector>/<account> or <collector>/<account>/<name>.
const OWNER_REST = `substr(owner, instr(owner, '/') + 1)`;
const OWNER_ID = `CAST(${OWNER_REST} AS INTEGER)`;

/** The tables of the ledgers, which also name their counters and streams. The residential one is older than the other. */
export const LEDGERS = {
  residential: 'ledger',
  mobile: 'mobile_ledger',
} as const satisfies Readonly<Record<MeteredType, StreamKey['source']>>;
export type LedgerTable = (typeof LEDGERS)[MeteredType];

const LEDGER = { move: ofAccount() };
const RATES = { times: ['since', 'at'], move: ofAccount() };

export const LEDGER_TABLES = {
  counter: {
    heldBy: `CASE WHEN owner LIKE 'graph/%' THEN (SELECT read_at FROM graph WHERE owner = 'graph/' || id)
      ELSE (${storedAtOf(
        "iif(owner LIKE 'ledger/%', 'residential_ledger', substr(owner, 1, instr(owner, '/') - 1))",
        OWNER_ID,
      )}) END`,
    reset: 'UPDATE counter SET net = 0, served = 0, held_until = @heldUntil',
    move: {
      where: `iif(owner LIKE 'graph/%',
        ${OWNER_ID} IN (SELECT id FROM source.graph WHERE ${OF_ACCOUNT}),
        ${OWNER_ID} IN (SELECT old FROM temp.moved_account))`,
      columns: {
        owner: `substr(owner, 1, instr(owner, '/')) ||
          iif(owner LIKE 'graph/%', ${shifted(OWNER_ID, 'graph')},
            (SELECT new FROM temp.moved_account WHERE old = ${OWNER_ID})) ||
          substr(${OWNER_REST}, length(${OWNER_ID}) + 1)`,
      },
    },
  },
  ...{ ledger: LEDGER, ledger_rates: RATES, mobile_ledger: LEDGER, mobile_ledger_rates: RATES },
  reconciliation: { expired: 'day_start < @oldest', move: ofAccount() },
} as const satisfies Tables;

export const LEDGER_ROW = describeRow<StoredLedgerRow>(
  plain(
    'id reason serviceId periodDate bytes addedBytes usedBytes requests adjustmentId createdAt updatedAt',
  ),
);

export const ledgerRowsOf = (db: Database, table: LedgerTable): LedgerStore['rows'] => {
  // The query has one lower bound, on the index by date, which ends with the id. With a second lower bound SQLite may
  // use only that one, and would read all rows before the position again for each page.
  const after = db.rowsOf<[string, string, string, number], StoredLedgerRow>(
    `SELECT ${LEDGER_ROW.selected} FROM ${table}
     WHERE account_id = ? AND (period_date, id) > (?, ?) AND period_date < ? ORDER BY period_date, id LIMIT ?`,
  );
  return (account, from, to, position, limit) => {
    const { periodDate, id } =
      position && position.periodDate >= from ? position : { periodDate: from, id: '' };
    return after(account, periodDate, id, to, limit);
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
  readonly #source: LedgerTable;

  constructor(source: LedgerTable) {
    this.#source = source;
  }

  /** A row that gets another reason or date leaves its day and joins another one. */
  changed(before: StoredLedgerRow | undefined, after: StoredLedgerRow): void {
    if (before) this.#add(before, differencesOf(valuesOf(before), NO_VALUES));
    this.#add(after, valuesOf(after));
  }

  noteCorrections(corrections: Corrections, accountId: number): void {
    for (const { reason, periodDate, differences } of this.#days.values()) {
      const stream = corrections.streamOf(accountId, this.#source, reason);
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
