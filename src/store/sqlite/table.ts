// Describes a table to what works on all tables: the clock, epochs, retention, and moves of accounts to other stores.

export interface Table {
  /** Columns with times (ms) that are set to the present if they lie in the future. No hold is compared with them. */
  readonly times?: readonly string[];
  /** SQL for the time (ms) that the holds in `held_until` are compared with. */
  readonly heldBy?: string;
  /** Statements that correct times after `@now` (ms) where `times` is not enough. The table has few rows. */
  readonly corrections?: readonly string[];
  /** SQL that is true for a row of an account (`@accountId`) that is older than `@oldest` (ms) and is deleted. */
  readonly expired?: string;
  /** The statement that begins a new epoch; a new counter shows 0 until `@heldUntil` (ms). Other values stay. */
  readonly reset?: string;
  /** A query for the highest number that is or was used in `main`, if other numbers move by it: see `shifted`. */
  readonly highest?: string;
  /** How the rows of an account move to another store; a text says why no row moves. */
  readonly move: Move | string;
}

export type Tables = Readonly<Record<string, Table>>;

/** How rows are copied from the attached database `source`. Columns that are not named keep their value. */
export interface Move {
  /** The rows to choose from, if they are more than those of the table in `source`. */
  readonly from?: string;
  /** Selects the account's rows. */
  readonly where: string;
  /** SQL for columns whose value differs in the other store, above all numbers of rows. */
  readonly columns?: Readonly<Record<string, string>>;
  /** Columns with numbers of subjects. */
  readonly subjects?: readonly string[];
  /** What happens if the other store has such a row already. It cannot have one by default. */
  readonly onConflict?: string;
}

export const KEEP = 'DO NOTHING';
export const OF_ACCOUNT = 'account_id IN (SELECT old FROM temp.moved_account)';
/** Selects rows of an account that has no number: they are found by its name. */
export const BY_NAME = 'account IN (SELECT name FROM temp.moved_account)';
export const ACCOUNT_ID = '(SELECT new FROM temp.moved_account WHERE old = account_id)';

/** Numbers rise by the highest number of the other store, so that they keep their order and refer to the same rows. */
export const shifted = (column: string, table: string): string =>
  `${column} + (SELECT ${table} FROM temp.moved_offset)`;

/** Moves what was spent at a future time to now, because it still counts against the budget. */
export const spentNow = (table: string, column: string): readonly string[] => [
  `INSERT INTO ${table} SELECT account_id, @now, sum(${column}) FROM ${table} WHERE at > @now GROUP BY account_id
   ON CONFLICT DO UPDATE SET ${column} = ${column} + excluded.${column}`,
  `DELETE FROM ${table} WHERE at > @now`,
];

export const ofAccount = (columns: Move['columns'] = {}): Move => ({
  where: OF_ACCOUNT,
  columns: { account_id: ACCOUNT_ID, ...columns },
});

/** SQL for the time that holds of a collector's counters are compared with. Both arguments are SQL. */
export const storedAtOf = (collector: string, accountId: string): string =>
  `SELECT stored_at FROM listing WHERE collector = ${collector} AND account_id = ${accountId}`;
