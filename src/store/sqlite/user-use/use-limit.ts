// Limits the rows of use in the store: above the limit, the rows of the users with the least use are deleted.

import type { Database } from '../file/database.ts';
import { createUseDeletion } from './use-deletion.ts';
import type { UseKey } from './use-rows.ts';

/** Users that a slice reads, for some milliseconds of CPU. */
const SLICE_USERS = 5_000;
/** Users are grouped by the logarithm of their bytes, so that only those of one group have to be sorted. */
const GROUPS_PER_DOUBLING = 8;
const GROUPS = 64 * GROUPS_PER_DOUBLING;

interface SizedMark extends UseKey {
  readonly days: number;
  readonly bytes: number;
}

/** Returns the number of deleted rows. */
export type UseLimit = (signal: AbortSignal) => Promise<number>;

export const createUseLimit = (db: Database, maxRows: number): UseLimit => {
  const { sql } = db;
  const marksAfter = sql.prepare<[number], SizedMark>(
    `SELECT id AS mark, account_id AS accountId, days, bytes FROM user_use_mark WHERE id > ?
     ORDER BY id LIMIT ${SLICE_USERS}`,
  );
  const markDeleted = sql.prepare<[number | null, number]>(
    'UPDATE user_use_mark SET days = 0, bytes = 0, deleted_until = coalesce(?, deleted_until) WHERE id = ?',
  );
  const deleteRows = createUseDeletion(db);

  /** Yields the users with rows, slice by slice. */
  async function* slices(): AsyncGenerator<SizedMark[]> {
    for (let last: number | undefined = 0; last !== undefined; ) {
      const after: number = last;
      const slice = db.read(() => marksAfter.all(after));
      yield slice.filter(({ days }) => days > 0);
      last = slice.at(-1)?.mark;
      await new Promise(setImmediate);
    }
  }

  /** Returns the users whose rows are to be deleted. */
  const surplusUsers = async (): Promise<SizedMark[]> => {
    const rows = new Float64Array(GROUPS);
    for await (const slice of slices()) {
      for (const { days, bytes } of slice) rows[groupOf(bytes)] = (rows[groupOf(bytes)] ?? 0) + days;
    }
    const surplus = sumOf(rows) - maxRows;
    if (surplus <= 0) return [];
    // The last group of which users are deleted.
    let group = 0;
    for (let sum = rows[0] ?? 0; sum < surplus; sum += rows[group] ?? 0) group += 1;
    const [whole, part]: [SizedMark[], SizedMark[]] = [[], []];
    for await (const slice of slices()) {
      for (const mark of slice) {
        const markGroup = groupOf(mark.bytes);
        if (markGroup < group) whole.push(mark);
        if (markGroup === group) part.push(mark);
      }
    }
    return [...whole, ...leastUsers(part, surplus - sumOf(whole.map(({ days }) => days)))];
  };

  return async (signal) =>
    deleteRows(
      await surplusUsers(),
      ({ mark }, newestDay) => markDeleted.run(newestDay ?? null, mark),
      signal,
    );
};

/** Returns the users with the least use that have so many rows together. */
const leastUsers = (users: SizedMark[], rows: number): SizedMark[] => {
  users.sort((one, other) => one.bytes - other.bytes || one.mark - other.mark);
  let left = rows;
  return users.filter(({ days }) => {
    const isSurplus = left > 0;
    left -= days;
    return isSurplus;
  });
};

const sumOf = (values: Iterable<number>): number => {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
};

const groupOf = (bytes: number): number =>
  bytes <= 1 ? 0 : Math.min(GROUPS - 1, Math.floor(Math.log2(bytes) * GROUPS_PER_DOUBLING) + 1);
