// Deletes all rows of single users, in slices that leave the event loop free in between.

import type { Database } from '../file/database.ts';
import { createDayBefore, type UseMark } from './use-rows.ts';

/** Days that a slice searches for rows, for some milliseconds of CPU. */
const SLICE_DAYS = 1_000;

/** Called in the transaction that deleted the user's rows, with the newest of their days if there was one. */
type OnDeleted = (user: UseMark, newestDay: number | undefined) => void;

/** Deletes the rows of the users. Returns the number of deleted rows. */
export type UseDeletion = (
  users: readonly UseMark[],
  onDeleted: OnDeleted,
  signal: AbortSignal,
) => Promise<number>;

export const createUseDeletion = (db: Database): UseDeletion => {
  const remove = db.sql.prepare('DELETE FROM user_use WHERE account_id = ? AND day = ? AND mark = ?');
  const dayBefore = createDayBefore(db);

  /** Returns the number of deleted rows, and how many days it searched. */
  const deleteUser = (user: UseMark, onDeleted: OnDeleted): { deleted: number; searched: number } => {
    const { accountId, mark, days } = user;
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
