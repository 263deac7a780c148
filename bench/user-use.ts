// Measures the use of users over time: what an hourly pass over 100,000 users, a ranking and the retention cost.

import SQLite from 'better-sqlite3';
import { DAY, HOUR } from '../src/lib/time.ts';
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../src/store/store.ts';
import { idsOf, listUsers, maintain, numbered, START, userOf } from './data.ts';
import { type Bench, optionsOf, printCost, temporaryFolder } from './harness.ts';

const TODAY = START / DAY;
const TYPES = ['residential', 'mobile'] as const;
const NEVER = new AbortController().signal;

/** Options: `--users` (100000) and `--days` (45). */
export const userUse: Bench = async (args) => {
  const { users, days } = optionsOf(args, { users: 100_000, days: 45 });
  using folder = temporaryFolder();
  const path = `${folder.path}/store.db`;
  await withUsers(path, async (store) => {
    for (const hours of [0, 1]) await list(store, users, hours);
    await storeHour(store);
  });
  const before = useBytes(path);
  fillDays(path, days);
  const bytesOfRow = (useBytes(path) - before) / (users * days);
  console.log(`${users} users with ${days} days of use each: ${bytesOfRow.toFixed(1)} bytes a row`);
  await withUsers(path, async (store) => {
    const pass = (what: string) => printCost(`the pass ${what}`, () => storeHour(store));
    await printCost('a poll in which all users used bytes', () => list(store, users, 2));
    await pass('of an hour, all users used bytes');
    await list(store, users, 2, 3);
    await pass('of an hour in which no user used bytes');
    await list(store, users, 25);
    await pass('of the first hour of a day, all users used bytes');
    for (const length of [1, 7, 30, 400]) {
      const range = { from: TODAY + 1 - length, to: TODAY + 1, types: TYPES, limit: 1_000 };
      await printCost(`the ranking of ${length} days`, () => store.userUse.ranking('main', range));
    }
    await printCost('the first maintenance of a day', () => maintain(store, START + DAY));
    await printCost('the next maintenance of this day', () => maintain(store, START + DAY + HOUR));
    await printCost('the use of one user over 400 days', () =>
      store.userUse.ofUser('main', numbered('user', 7), TODAY - 400, TODAY + 1),
    );
  });
  await measureHours(`${path}-hours`, users);
  return undefined;
};

/** A day in which all users use bytes in every hour has the largest rows. */
const measureHours = async (path: string, users: number): Promise<void> => {
  const storeHours = (hours: readonly number[]) =>
    withUsers(path, async (store) => {
      for (const hour of hours) {
        await list(store, users, hour);
        await storeHour(store);
      }
    });
  await storeHours([0]);
  const before = useBytes(path);
  await storeHours(Array.from({ length: 24 }, (_, n) => n + 1));
  console.log(`a day with 24 hours of use: ${((useBytes(path) - before) / users).toFixed(1)} bytes a user`);
};

const withUsers = async (path: string, work: (store: Store) => Promise<void>): Promise<void> => {
  using store = openSqliteStore({ path, firstStepHoldMs: 0, isDurable: false });
  await work(store);
};

const storeHour = (store: Store): Promise<boolean> => store.userUse.store('main', 'UTC', NEVER);

/** Lists all users, after they have used bytes in so many hours. */
const list = (store: Store, users: number, hours: number, atHour = hours): Promise<void> =>
  listUsers(store, idsOf('user', users), START + atHour * HOUR, (id, n) => {
    const residential = { limitBytes: 1e12, usedBytes: hours * (1e6 + ((n * 7_919) % 1e8)) };
    return userOf(id, { quotas: { residential, mobile: { limitBytes: null, usedBytes: 0 } } });
  });

/** Adds a row of every user for the days before today. */
const fillDays = (path: string, days: number): void => {
  const sql = new SQLite(path);
  sql.pragma('synchronous = OFF');
  const past = `WITH RECURSIVE past (day) AS (SELECT 1 UNION ALL SELECT day + 1 FROM past WHERE day < ${days})`;
  sql.exec(`${past} INSERT INTO user_use SELECT account_id, ${TODAY} - day, mark.id, bytes + day * 4099, 0, NULL
    FROM user_use_mark AS mark, past ORDER BY account_id, ${TODAY} - day, mark.id`);
  sql.exec(`${past} INSERT INTO user_use_day
    SELECT account_id, ${TODAY} - past.day, since, until, has_residential, has_mobile, hours FROM user_use_day, past`);
  sql.exec(`UPDATE user_use_mark SET days = days + ${days}, bytes = bytes + ${days} * bytes`);
  sql.close();
};

/** Returns the size of the table of use, by its pages. */
const useBytes = (path: string): number => {
  const sql = new SQLite(path);
  const size = "SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name = 'user_use'";
  const bytes = sql.prepare<[], number>(size).pluck().get();
  sql.close();
  return bytes ?? 0;
};
