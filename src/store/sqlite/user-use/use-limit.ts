// Limits the rows of use in the store: above the limit, the rows of the users with the least use are deleted.

import type { Database } from '../file/database.ts';
import { createUseRowStatements, type UseKey } from './use-rows.ts';

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
type UseLimit = (signal: AbortSignal) => Promise<number>;

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

/** Days that a slice searches for rows, for some milliseconds of CPU. */
const SLICE_DAYS = 1_000;

/** Called in the transaction that deleted the user's rows, with the newest of their days if there was one. */
type OnDeleted = (user: UseKey, newestDay: number | undefined) => void;

/** Deletes the rows of the users. Returns the number of deleted rows. */
type UseDeletion = (users: readonly UseKey[], onDeleted: OnDeleted, signal: AbortSignal) => Promise<number>;

export const createUseDeletion = (db: Database): UseDeletion => {
  const { dayBefore, remove } = createUseRowStatements(db);
  const daysOf = db.prepareValue<[number], number>('SELECT days FROM user_use_mark WHERE id = ?');

  /** Returns the number of deleted rows, and how many days it searched. */
  const deleteUser = (user: UseKey, onDeleted: OnDeleted): { deleted: number; searched: number } => {
    const { accountId, mark } = user;
    // The user may have more rows or fewer since it was chosen, because other work ran in between.
    const days = daysOf.get(mark) ?? 0;
    let [deleted, searched] = [0, 0];
    let newestDay: number | undefined;
    let day: number | undefined = Number.MAX_SAFE_INTEGER;
    while (deleted < days) {
      day = dayBefore(accountId, day);
      if (day === undefined) break;
      searched += 1;
      if (remove.run(accountId, day, mark).changes === 0) continue;
      deleted += 1;
      newestDay ??= day;
    }
    onDeleted(user, newestDay);
    return { deleted, searched };
  };

  return async (users, onDeleted, signal) => {
    let rows = 0;
    for (let next = 0; next < users.length && !signal.aborted; ) {
      db.write(() => {
        for (let days = 0; days < SLICE_DAYS; next += 1) {
          const user = users[next];
          if (!user) break;
          const { deleted, searched } = deleteUser(user, onDeleted);
          rows += deleted;
          days += searched + 1;
        }
      });
      await new Promise(setImmediate);
    }
    return rows;
  };
};
