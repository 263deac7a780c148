// By what rule the ledger's rows were read, and reading them anew by another one.

import type { LedgerRule } from '../../ledger-store.ts';
import type { Database } from '../file/database.ts';
import { SLICE_ROWS } from '../slices.ts';
import type { LedgerPace } from './ledger-pace.ts';

/** Follows a rule from now on: what rows of another one come to counts nothing. */
export type FollowRule = (accountId: number, rule: LedgerRule) => Promise<void>;

/** The key of no rule, stored while rows are read again: after a kill, the next start reads all of them again. */
const CHANGING = '';

interface Row {
  readonly id: string;
  readonly reason: string;
  readonly bytes: number | null;
}

export const createFollowRule = (db: Database, pace: LedgerPace): FollowRule => {
  const { sql } = db;
  const ruleOf = sql.prepare<[number], string | null>('SELECT ledger_rule FROM account WHERE id = ?').pluck();
  const setRule = sql.prepare('UPDATE account SET ledger_rule = ? WHERE id = ?');
  const rowsAfter = sql.prepare<[number, string], Row>(
    `SELECT id, reason, bytes FROM ledger WHERE account_id = ? AND id > ? ORDER BY id LIMIT ${SLICE_ROWS}`,
  );
  const update = sql.prepare(
    'UPDATE ledger SET added_bytes = ?, used_bytes = ? WHERE account_id = ? AND id = ?',
  );

  /** Reads a slice of rows again; returns the last of its ids. */
  const readAnew = (accountId: number, after: string, rule: LedgerRule): string | undefined => {
    const rows = rowsAfter.all(accountId, after);
    for (const { id, reason, bytes } of rows) {
      // Of rows that were stored before bytes were, it is not known what they were read from.
      if (bytes === null) continue;
      const { addedBytes, usedBytes } = rule.balanceOf(reason, bytes);
      update.run(addedBytes, usedBytes, accountId, id);
    }
    return rows.at(-1)?.id;
  };

  return async (accountId, rule) => {
    const known = db.read(() => ruleOf.get(accountId) ?? null);
    if (known === rule.key) return;
    // Rows stored before rules were kept are taken to have been read by the first one that is.
    if (known !== null) {
      db.write(() => setRule.run(CHANGING, accountId));
      for (let after: string | undefined = ''; after !== undefined; ) {
        const last: string = after;
        after = db.write(() => readAnew(accountId, last, rule));
        await new Promise(setImmediate);
      }
    }
    const used = known === null ? [] : await pace.usedBy(accountId, rule.useReasons);
    db.write(() => {
      setRule.run(rule.key, accountId);
      pace.rebase(accountId, used);
    });
  };
};
