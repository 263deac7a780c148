// Corrects holds of counters that lie in the future, together with the times they are compared with: no counter falls.

import type { Database } from '../file/database.ts';
import { type CellsRow, packCells, type StoredCell, unpackCells } from '../tests/cell-pack.ts';
import { createTableWalk, type RowChange, type SliceAfter } from './table-walk.ts';

/**
 * `release` runs before the times move: holds that have ended become the present, so their counters stay visible.
 * `settle` runs after: holds that still run last no longer than that of a new counter. In between counters are held for
 * longer, but none becomes visible and is then hidden again, which would be a fall to 0. Both may be repeated.
 */
export interface Holds {
  readonly release: readonly SliceAfter[];
  readonly settle: readonly SliceAfter[];
}

const storedAtOf = (collector: string, accountId: string): string =>
  `SELECT stored_at FROM listing WHERE collector = ${collector} AND account_id = ${accountId}`;

/** By table, the time that its rows are held against. Owners of counters are graph/<id>, or <collector>/<account>. */
const HELD_AGAINST: Readonly<Record<string, string>> = {
  counter: `CASE WHEN owner LIKE 'graph/%' THEN (SELECT read_at FROM graph WHERE owner = 'graph/' || id)
    ELSE (${storedAtOf(
      "iif(owner LIKE 'ledger/%', 'residential_ledger', substr(owner, 1, instr(owner, '/') - 1))",
      "CAST(substr(owner, instr(owner, '/') + 1) AS INTEGER)",
    )}) END`,
  proxy_user: storedAtOf("'proxy_users'", 'proxy_user.account_id'),
  url_tester: storedAtOf("'proxy_tests'", 'url_tester.account_id'),
  test_failure: storedAtOf("'proxy_tests'", 'test_failure.account_id'),
  test_error: storedAtOf("'proxy_tests'", 'test_error.account_id'),
};

export const createHolds = (db: Database): Holds => {
  const walksOf = (change: (storedAt: string) => RowChange): SliceAfter[] =>
    Object.entries(HELD_AGAINST).map(([table, storedAt]) =>
      createTableWalk(db, table, change(`coalesce((${storedAt}), 0)`)),
    );
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
      // A time that is still ahead was stored meanwhile: the next call moves its holds.
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

/** Rows of a slice, of up to 200 cells each. */
const SLICE_ROWS = 100;

interface Values {
  readonly now: number;
  /** Until when what is held may be held (ms). */
  readonly longest: number;
  /** What is stored of a later time is of a clock that was ahead (ms). */
  readonly latest: number;
}

type Change = (cell: StoredCell, storedAt: number, values: Values) => StoredCell;

/** Cells are held one by one, within their row. */
const createCellsWalk = ({ sql }: Database, change: Change): SliceAfter => {
  const rowsAfter = sql.prepare<[number], CellsRow & { id: number; storedAt: number }>(
    `SELECT id, at, held_until AS heldUntil, cells,
       coalesce((${storedAtOf("'proxy_tests'", 'test_cells.account_id')}), 0) AS storedAt
     FROM test_cells WHERE id > ? ORDER BY id LIMIT ${SLICE_ROWS}`,
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
    return last && rows.length === SLICE_ROWS ? [last.id] : undefined;
  };
};
