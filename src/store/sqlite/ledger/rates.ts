// Stores how fast bytes are used, reads what their cost depends on, and applies a changed ledger rule to stored rows.

import { newRates, observe, type Rates } from '../../../lib/forecast.ts';
import type { LedgerRule, LedgerStore, StoredLedgerRow } from '../../ledger-store.ts';
import type { Database } from '../file/database.ts';
import { createCorrections } from '../publication/publication.ts';
import { describeRow, plain } from '../row.ts';
import { SLICE_ROWS, walkSlices } from '../slices.ts';
import { ChangedDays, LEDGER_ROW, type LedgerTable } from './rows.ts';

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

/** Bytes used by a service. An empty `serviceId` stands for the whole account. */
interface UsedBytes {
  readonly serviceId: string;
  readonly usedBytes: number;
}

const RATES = describeRow<UsedBytes & Rates>(
  plain('serviceId usedBytes since at hour day week slotBytes profile'),
);

/** The rows that one slice sums: some milliseconds of CPU. */
const SUMMED_ROWS = 5_000;

export const createLedgerRates = (db: Database, table: LedgerTable) => {
  const { sql, prepareValue } = db;
  const lastAfter = prepareValue<[number, string], string | null>(
    `SELECT max(id) FROM (SELECT id FROM ${table} WHERE account_id = ? AND id > ? ORDER BY id LIMIT ${SUMMED_ROWS})`,
  );
  const sumsWithin = sql.prepare<unknown[], { serviceId: string | null; usedBytes: number }>(
    `SELECT service_id AS serviceId, sum(used_bytes) AS usedBytes FROM ${table}
     WHERE account_id = ? AND id > ? AND id <= ? AND reason IN (SELECT value FROM json_each(?)) GROUP BY service_id`,
  );
  const ratesOf = sql.prepare<[number], UsedBytes & Rates>(
    `SELECT ${RATES.selected} FROM ${table}_rates WHERE account_id = ?`,
  );
  const put = sql.prepare(RATES.insert(`${table}_rates`, 'OR REPLACE'));

  return {
    /** Sums the bytes used by the rows of these reasons, one slice at a time. Must run outside of transactions. */
    usedBy: async (accountId: number, usageReasons: readonly string[]): Promise<UsedBytes[]> => {
      const sums = new Map([['', 0]]);
      const add = (serviceId: string, bytes: number) =>
        sums.set(serviceId, (sums.get(serviceId) ?? 0) + bytes);
      const reasons = JSON.stringify(usageReasons);
      const addAfter = (after: string): string | undefined => {
        const last = lastAfter.get(accountId, after) ?? undefined;
        for (const { serviceId, usedBytes } of sumsWithin.all(accountId, after, last ?? '', reasons)) {
          add('', usedBytes);
          if (serviceId !== null) add(serviceId, usedBytes);
        }
        return last;
      };
      await walkSlices('', (after) => db.read(() => addAfter(after)));
      return [...sums].map(([serviceId, usedBytes]) => ({ serviceId, usedBytes }));
    },
    /** Updates the rates with the bytes used since the listing at `before` (ms). Must run inside a transaction. */
    update: (accountId: number, used: readonly UsedBytes[], before: number | null, now: number): void => {
      const stored = new Map(ratesOf.all(accountId).map((row) => [row.serviceId, row]));
      for (const { serviceId, usedBytes } of used) {
        const previous = stored.get(serviceId) ?? { ...newRates(now), usedBytes };
        const rates = observe(previous, usedBytes - previous.usedBytes, before ?? now, now);
        put.run({ ...rates, accountId, serviceId, usedBytes });
      }
    },
    /** Sets the values from which the next growth is measured; the rates stay. Must run inside a transaction. */
    rebase: (accountId: number, used: readonly UsedBytes[]): void => {
      const update = `UPDATE ${table}_rates SET used_bytes = ? WHERE account_id = ? AND service_id = ?`;
      for (const { serviceId, usedBytes } of used) sql.run(update, usedBytes, accountId, serviceId);
    },
    /** Returns the rates by service. An empty key stands for the whole account. */
    of: (accountId: number): ReadonlyMap<string, Rates> =>
      new Map(ratesOf.all(accountId).map((row) => [row.serviceId, row])),
  };
};

/** Stored instead of the rule's key while rows change: if the process is killed, the next start changes all rows again. */
const RULE_CHANGING = '';

/** Returns a function that applies a rule from now on. Changes in stored rows are not counted, but correct published days. */
export const createApplyLedgerRule = (
  db: Database,
  table: LedgerTable,
  rates: ReturnType<typeof createLedgerRates>,
) => {
  const { sql, prepareValue } = db;
  const ruleOf = prepareValue<[number], string | null>(`SELECT ${table}_rule FROM account WHERE id = ?`);
  const setRule = sql.prepare(`UPDATE account SET ${table}_rule = ? WHERE id = ?`);
  const corrections = createCorrections(db);
  const rowsAfter = sql.prepare<[number, string], StoredLedgerRow>(
    `SELECT ${LEDGER_ROW.selected} FROM ${table} WHERE account_id = ? AND id > ? ORDER BY id LIMIT ${SLICE_ROWS}`,
  );
  const update = sql.prepare(
    `UPDATE ${table} SET added_bytes = ?, used_bytes = ? WHERE account_id = ? AND id = ?`,
  );

  /** Applies the rule to a slice of rows. Returns the last id of the slice, or undefined if no rows are left. */
  const applyToSlice = (accountId: number, after: string, rule: LedgerRule): string | undefined => {
    const rows = rowsAfter.all(accountId, after);
    const changedDays = new ChangedDays(table);
    for (const row of rows) {
      const { id, reason, bytes } = row;
      // Rows that were stored by versions without this column have no bytes as given, so they keep their values.
      if (bytes === null) continue;
      const { addedBytes, usedBytes } = rule.balanceOf(reason, bytes);
      update.run(addedBytes, usedBytes, accountId, id);
      changedDays.changed(row, { ...row, addedBytes, usedBytes });
    }
    changedDays.noteCorrections(corrections, accountId);
    return rows.at(-1)?.id;
  };

  return async (accountId: number, rule: LedgerRule): Promise<void> => {
    const known = db.read(() => ruleOf.get(accountId) ?? null);
    if (known === rule.key) return;
    // Rows that were stored before rules were stored are assumed to follow the first stored rule.
    if (known !== null) {
      db.write(() => setRule.run(RULE_CHANGING, accountId));
      await walkSlices('', (after) => db.write(() => applyToSlice(accountId, after, rule)));
    }
    const used = known === null ? [] : await rates.usedBy(accountId, rule.usageReasons);
    db.write(() => {
      setRule.run(rule.key, accountId);
      rates.rebase(accountId, used);
    });
  };
};
