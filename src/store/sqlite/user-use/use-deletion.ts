// Deletes all rows of single users, in slices that leave the event loop free in between.

import type { Database } from '../file/database.ts';
import { createUseRowStatements, type UseKey } from './use-rows.ts';

/** Days that a slice searches for rows, for some milliseconds of CPU. */
const SLICE_DAYS = 1_000;

/** Called in the transaction that deleted the user's rows, with the newest of their days if there was one. */
type OnDeleted = (user: UseKey, newestDay: number | undefined) => void;

/** Deletes the rows of the users. Returns the number of deleted rows. */
export type UseDeletion = (
  users: readonly UseKey[],
  onDeleted: OnDeleted,
  signal: AbortSignal,
) => Promise<number>;

export const createUseDeletion = (db: Database): UseDeletion => {
  const { dayBefore, remove } = createUseRowStatements(db);
  const daysOf = db.sql.prepare<[number], number>('SELECT days FROM user_use_mark WHERE id = ?').pluck();

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
