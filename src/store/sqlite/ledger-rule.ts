// By what rule the ledger's rows were read, and reading them anew by another one.

import type { LedgerRule } from '../ledger-store.ts';
import type { Database } from './database.ts';
import type { LedgerPace } from './ledger-pace.ts';

/** Follows a rule from now on, inside a transaction: what rows of another one come to counts nothing. */
export type FollowRule = (accountId: number, rule: LedgerRule) => void;

export const createFollowRule = ({ sql }: Database, pace: LedgerPace): FollowRule => {
  const ruleOf = sql.prepare<[number], string | null>('SELECT ledger_rule FROM account WHERE id = ?').pluck();
  const setRule = sql.prepare('UPDATE account SET ledger_rule = ? WHERE id = ?');
  const rowsOf = sql.prepare<[number], { id: string; reason: string; bytes: number }>(
    'SELECT id, reason, bytes FROM ledger WHERE account_id = ? AND bytes IS NOT NULL',
  );
  const update = sql.prepare(
    'UPDATE ledger SET added_bytes = ?, used_bytes = ? WHERE account_id = ? AND id = ?',
  );
  return (accountId, rule) => {
    const known = ruleOf.get(accountId) ?? null;
    if (known === rule.key) return;
    setRule.run(rule.key, accountId);
    // Rows stored before rules were kept are taken to have been read by the first one that is.
    if (known === null) return;
    for (const { id, reason, bytes } of rowsOf.all(accountId)) {
      const { addedBytes, usedBytes } = rule.balanceOf(reason, bytes);
      update.run(addedBytes, usedBytes, accountId, id);
    }
    pace.rebase(accountId, rule.useReasons);
  };
};
