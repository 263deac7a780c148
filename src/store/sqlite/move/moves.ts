// Reads which accounts were moved out of a store, and which account a file moves.

import type SQLite from 'better-sqlite3';
import { StoreError } from '../../errors.ts';

/**
 * Returns SQL that is true for rows of accounts that this store runs. The rows of the others stay, but nothing of them is
 * shown or sent. `name` is SQL for the name of the row's account.
 */
export const isHere = (name: string): string =>
  `NOT EXISTS (SELECT 1 FROM account_move WHERE account_move.account = ${name} AND is_out)`;

export interface FileMove {
  readonly account: string;
  readonly moveId: string;
  /** When the account was moved out (ms). */
  readonly at: number;
}

/** Finds the move that the open database is the file of: it has rows of this account only. */
const moveOf = (sql: SQLite.Database): FileMove | undefined => {
  const [move, ...others] = sql
    .prepare<[], FileMove>(
      `SELECT account, move_id AS moveId, at FROM account_move WHERE is_out
       AND NOT EXISTS (SELECT 1 FROM account WHERE name NOT IN (account_move.account, 'probes/' || account_move.account))`,
    )
    .all();
  return others.length === 0 ? move : undefined;
};

/** Returns the move that the open copy of `file` is for. Throws StoreError if it is no file of a moved account. */
export const moveIn = (sql: SQLite.Database, file: string): FileMove => {
  const move = moveOf(sql);
  if (move) return move;
  throw new StoreError(
    'failed',
    `${file}: this file is not a moved account. Give a file that "proxywatch store backup --account" wrote. To replace the whole store with a backup, leave out --merge`,
  );
};

/** Whether the open database is the file of a moved account, which must not replace a whole store. */
export const isMoveFile = (sql: SQLite.Database): boolean => moveOf(sql) !== undefined;
