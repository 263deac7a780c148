// Updates a table slice by slice, in the order of its primary key.

import type { Database } from '../file/database.ts';

/** Rows in a slice: they take some milliseconds of CPU. */
const SLICE_ROWS = 500;

type Key = readonly (string | number)[];

/** Updates one slice, inside a transaction. Returns its last key, or undefined after the last slice. */
export type WalkSlice = (after: Key | undefined, values: Readonly<Record<string, number>>) => Key | undefined;

/** An assignment and the condition for its rows, such as `held_until = @now` where `held_until > @now`. */
export interface RowChange {
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
  const needed = namesIn(set + where);
  return (after = beginning, values) => {
    const keys = keysAfter.all(...after);
    const last = keys.at(-1);
    if (!last) return undefined;
    update.run(...after, ...last, Object.fromEntries(needed.map((name) => [name, values[name]])));
    return keys.length < SLICE_ROWS ? undefined : last;
  };
};

const namesIn = (source: string): string[] => [
  ...new Set([...source.matchAll(/@(\w+)/g)].map(([, name = '']) => name)),
];
