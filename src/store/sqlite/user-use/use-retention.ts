// Deletes old use of users, in slices: days after the retention, hours after 8 days, and use of deleted users.

import { DAY } from '../../../lib/time.ts';
import type { MaintenancePlan } from '../../store.ts';
import type { Database } from '../file/database.ts';
import { deleteInSlices, SLICE_ROWS, type Slice, walkSlices } from '../slices.ts';
import { createUseDeletion, createUseLimit } from './use-limit.ts';
import type { UseKey } from './use-rows.ts';

const HOURS_RETENTION_DAYS = 8;
/** The rows that are kept in a store. */
const MAX_ROWS = 5_000_000;
const USERS_AT_ONCE = 1_000;

type DayKey = [accountId: number, day: number];

/** Deletes what is too old or too much, and returns the number of deleted rows. */
type UseRetention = (plan: Pick<MaintenancePlan, 'now' | 'retention' | 'signal'>) => Promise<number>;

export const createUseRetention = (db: Database, maxRows = MAX_ROWS): UseRetention => {
  const { sql, prepareValue } = db;
  const accounts = prepareValue<[], number>('SELECT id FROM account');
  const usersOfOldRows = sql.prepare<[number, number], { mark: number; bytes: number }>(
    `DELETE FROM user_use WHERE account_id = ? AND day < ? RETURNING mark, residential + mobile AS bytes
     LIMIT ${SLICE_ROWS}`,
  );
  const lowerSums = sql.prepare<[number, number]>(
    'UPDATE user_use_mark SET days = days - 1, bytes = bytes - ? WHERE id = ?',
  );
  const deleteDays = sql.prepare<[number, number]>(
    'DELETE FROM user_use_day WHERE account_id = ? AND day < ?',
  );
  const daysWithOldHours = sql
    .prepare<[number, number], DayKey>(
      'SELECT account_id, day FROM user_use_day WHERE account_id = ? AND day < ? AND hours IS NOT NULL',
    )
    .raw();
  const lastOfSlice = prepareValue<
    [...DayKey, after: number],
    number
  >(`SELECT mark FROM user_use WHERE account_id = ? AND day = ? AND mark > ?
       ORDER BY mark LIMIT 1 OFFSET ${SLICE_ROWS}`);
  const deleteHours = sql.prepare<[...DayKey, after: number, last: number]>(
    `UPDATE user_use SET hours = NULL
     WHERE account_id = ? AND day = ? AND mark > ? AND mark <= ? AND hours IS NOT NULL`,
  );
  const deleteHoursOfDay = sql.prepare<DayKey>(
    'UPDATE user_use_day SET hours = NULL WHERE account_id = ? AND day = ?',
  );
  const marksWithoutUser = sql.prepare<[], UseKey>(
    `SELECT id AS mark, account_id AS accountId FROM user_use_mark WHERE user IS NULL
     ORDER BY id LIMIT ${USERS_AT_ONCE}`,
  );
  const deleteMark = sql.prepare<[number]>('DELETE FROM user_use_mark WHERE id = ?');
  const deleteRows = createUseDeletion(db);
  const limit = createUseLimit(db, maxRows);

  const deleteOldRows =
    (accountId: number, oldest: number): Slice =>
    () => {
      const rows = usersOfOldRows.all(accountId, oldest);
      for (const { mark, bytes } of rows) lowerSums.run(bytes, mark);
      return rows.length;
    };

  /** The mark in user_use_day is deleted last, so that the deletion continues after a kill. */
  const deleteOldHours = async (key: DayKey, signal: AbortSignal) =>
    walkSlices(
      0,
      (from) =>
        db.write(() => {
          const last = lastOfSlice.get(...key, from);
          deleteHours.run(...key, from, last ?? Number.MAX_SAFE_INTEGER);
          if (last === undefined) deleteHoursOfDay.run(...key);
          return last;
        }),
      signal,
    );

  const deleteWithoutUser = async (signal: AbortSignal): Promise<number> => {
    let deleted = 0;
    while (!signal.aborted) {
      const marks = db.read(() => marksWithoutUser.all());
      if (marks.length === 0) break;
      deleted += await deleteRows(marks, ({ mark }) => deleteMark.run(mark), signal);
    }
    return deleted;
  };

  return async ({ now, retention, signal }) => {
    // Dates of zones differ by up to a day from those of UTC.
    const oldest = Math.floor((now - retention.dailyMs) / DAY) - 1;
    const oldestHours = Math.floor(now / DAY) - HOURS_RETENTION_DAYS - 1;
    let deleted = await deleteWithoutUser(signal);
    for (const accountId of db.read(() => accounts.all())) {
      const slice = deleteOldRows(accountId, oldest);
      await deleteInSlices(db, () => {
        const rows = signal.aborted ? 0 : slice();
        deleted += rows;
        return rows;
      });
      deleted += db.write(() => deleteDays.run(accountId, oldest).changes);
      for (const key of db.read(() => daysWithOldHours.all(accountId, oldestHours)))
        await deleteOldHours(key, signal);
    }
    return deleted + (await limit(signal));
  };
};
