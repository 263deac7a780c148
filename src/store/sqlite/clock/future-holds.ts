// Corrects times and holds of counters that are too late because the clock was ahead, slice by slice.

import type { Database } from '../file/database.ts';
import { storedAtOf } from '../table.ts';
import { ofTables } from '../tables.ts';
import { type CellsRow, packCells, type StoredCell, unpackCells } from '../tests/cell-pack.ts';

/**
 * `release` runs before the stored times are corrected: holds that have ended get the current time, so their counters
 * stay visible. `settle` runs afterwards: it limits running holds to the hold of a new counter. In between, counters
 * are held longer, but none becomes visible and is hidden again, which would be a fall to 0. Both may be repeated.
 */
export const createFutureHolds = (db: Database) => {
  const walksOf = (change: (storedAt: string) => RowChange): WalkSlice[] =>
    ofTables(({ heldBy }, table) => heldBy && createTableWalk(db, table, change(`coalesce((${heldBy}), 0)`)));
  return {
    release: [
      ...walksOf((storedAt) => ({
        set: 'held_until = @now',
        where: `held_until > @now AND held_until <= ${storedAt}`,
      })),
      createCellsWalk(db, (cell, storedAt, { now }) =>
        cell.heldUntil > now && cell.heldUntil <= storedAt ? { ...cell, heldUntil: now } : cell,
      ),
    ],
    settle: [
      // A time that is still in the future was stored meanwhile. The next call corrects its holds.
      ...walksOf((storedAt) => ({
        set: 'held_until = @longest',
        where: `held_until > @longest AND ${storedAt} <= @latest`,
      })),
      createCellsWalk(db, (cell, storedAt, { now, longest, latest }) => ({
        ...cell,
        at: Math.min(cell.at, now),
        heldUntil: storedAt <= latest ? Math.min(cell.heldUntil, longest) : cell.heldUntil,
      })),
    ],
  };
};

/** Rows in a slice, with up to 200 cells each. */
const CELL_ROWS = 100;

interface CorrectionTimes {
  readonly now: number;
  /** The latest allowed end of a hold (ms). */
  readonly longest: number;
  /** A later stored time comes from a clock that was ahead (ms). */
  readonly latest: number;
}

type CellChange = (cell: StoredCell, storedAt: number, values: CorrectionTimes) => StoredCell;

/** Each cell of a packed row has a hold of its own. */
const createCellsWalk = ({ sql }: Database, change: CellChange): WalkSlice => {
  const rowsAfter = sql.prepare<[number], CellsRow & { id: number; storedAt: number }>(
    `SELECT id, at, held_until AS heldUntil, cells,
       coalesce((${storedAtOf("'proxy_tests'", 'test_cells.account_id')}), 0) AS storedAt
     FROM test_cells WHERE id > ? ORDER BY id LIMIT ${CELL_ROWS}`,
  );
  const update = sql.prepare('UPDATE test_cells SET at = ?, held_until = ?, cells = ? WHERE id = ?');
  return ([after = 0] = [], values) => {
    const rows = rowsAfter.all(Number(after));
    for (const row of rows) {
      const cells = unpackCells(row).map((cell) => change(cell, row.storedAt, values as never));
      const packed = packCells(cells);
      const isSame = packed.at === row.at && packed.heldUntil === row.heldUntil && packed.cells === row.cells;
      if (!isSame && cells.length > 0) update.run(packed.at, packed.heldUntil, packed.cells, row.id);
    }
    const last = rows.at(-1);
    return last && rows.length === CELL_ROWS ? [last.id] : undefined;
  };
};

/** Rows in a slice: they take some milliseconds of CPU. */
const SLICE_ROWS = 500;

type Key = readonly (string | number)[];

/** Updates one slice, inside a transaction. Returns its last key, or undefined after the last slice. */
export type WalkSlice = (after: Key | undefined, values: Readonly<Record<string, number>>) => Key | undefined;

/** An assignment and the condition for its rows, such as `held_until = @now` where `held_until > @now`. */
interface RowChange {
  readonly set: string;
  readonly where: string;
}

export const createTableWalk = ({ sql }: Database, table: string, { set, where }: RowChange): WalkSlice => {
  const columns = sql
    .prepare<[string], { name: string; type: string }>(
      'SELECT name, type FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk',
    )
    .all(table);
  const key = columns.map(({ name }) => name).join(', ');
  const marks = columns.map(() => '?').join(', ');
  // This is lower than all keys: number keys begin at 1, and no key consists of empty texts only.
  const beginning: Key = columns.map(({ type }) => (type === 'INTEGER' ? -1 : ''));
  const keysAfter = sql
    .prepare<(string | number)[], Key>(
      `SELECT ${key} FROM ${table} WHERE (${key}) > (${marks}) ORDER BY ${key} LIMIT ${SLICE_ROWS}`,
    )
    .raw();
  const update = sql.prepare(
    `UPDATE ${table} SET ${set} WHERE (${key}) > (${marks}) AND (${key}) <= (${marks}) AND (${where})`,
  );
  return (after = beginning, values) => {
    const keys = keysAfter.all(...after);
    const last = keys.at(-1);
    if (!last) return undefined;
    update.run(...after, ...last, values);
    return keys.length < SLICE_ROWS ? undefined : last;
  };
};
