// Applies a changed ledger rule to the stored rows.

import type { LedgerRule, StoredLedgerRow } from '../../ledger-store.ts';
import type { Database } from '../file/database.ts';
import { createCorrections } from '../publication/corrections.ts';
import { SLICE_ROWS } from '../slices.ts';
import { ChangedDays } from './changed-days.ts';
import type { LedgerRates } from './ledger-rates.ts';
import { LEDGER_ROW_COLUMNS } from './ledger-rows.ts';

/** Applies a rule from now on. What it changes in stored rows is not counted, but corrects published days. */
export type ApplyLedgerRule = (accountId: number, rule: LedgerRule) => Promise<void>;

/** Stored instead of the rule's key while rows change: if the process is killed, the next start changes all rows again. */
const RULE_CHANGING = '';

export const createApplyLedgerRule = (db: Database, rates: LedgerRates): ApplyLedgerRule => {
  const { sql } = db;
  const ruleOf = sql.prepare<[number], string | null>('SELECT ledger_rule FROM account WHERE id = ?').pluck();
  const setRule = sql.prepare('UPDATE account SET ledger_rule = ? WHERE id = ?');
  const corrections = createCorrections(db);
  const rowsAfter = sql.prepare<[number, string], StoredLedgerRow>(
    `SELECT ${LEDGER_ROW_COLUMNS} FROM ledger WHERE account_id = ? AND id > ? ORDER BY id LIMIT ${SLICE_ROWS}`,
  );
  const update = sql.prepare(
    'UPDATE ledger SET added_bytes = ?, used_bytes = ? WHERE account_id = ? AND id = ?',
  );

  /** Applies the rule to a slice of rows. Returns the last id of the slice, or undefined if no rows are left. */
  const applyToSlice = (accountId: number, after: string, rule: LedgerRule): string | undefined => {
    const rows = rowsAfter.all(accountId, after);
    const changedDays = new ChangedDays();
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

  return async (accountId, rule) => {
    const known = db.read(() => ruleOf.get(accountId) ?? null);
    if (known === rule.key) return;
    // Rows that were stored before rules were stored are assumed to follow the first stored rule.
    if (known !== null) {
      db.write(() => setRule.run(RULE_CHANGING, accountId));
      for (let after: string | undefined = ''; after !== undefined; ) {
        const last: string = after;
        after = db.write(() => applyToSlice(accountId, last, rule));
        await new Promise(setImmediate);
      }
    }
    const used = known === null ? [] : await rates.usedBy(accountId, rule.usageReasons);
    db.write(() => {
      setRule.run(rule.key, accountId);
      rates.rebase(accountId, used);
    });
  };
};
