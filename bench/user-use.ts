// Measures the use of users over time: what an hourly pass over 100,000 users, a ranking and the retention cost:
// node bench/user-use.ts [--users 100000] [--days 45]

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import SQLite from 'better-sqlite3';
import { DAY, HOUR } from '../src/lib/time.ts';
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../src/store/store.ts';
import type { UserObservation } from '../src/store/user-store.ts';

const START = Date.parse('2026-03-01T00:00:00Z');
const TODAY = START / DAY;
const PAGE = 100;
const NEVER = new AbortController().signal;
const TYPES = ['residential', 'mobile'] as const;
const RETENTION = { rawMs: 8 * DAY, hourlyMs: 60 * DAY, dailyMs: 400 * DAY };

export const userUse = async (args: readonly string[]): Promise<void> => {
  const { values } = parseArgs({
    args: [...args],
    options: { users: { type: 'string', default: '100000' }, days: { type: 'string', default: '45' } },
  });
  const [users, days] = [Number(values.users), Number(values.days)];
  const folder = mkdtempSync(join(tmpdir(), 'proxywatch-bench-'));
  try {
    await bench(join(folder, 'store.db'), users, days);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const bench = async (path: string, users: number, days: number): Promise<void> => {
  {
    using store = openSqliteStore({ path, firstStepHoldMs: 0, isDurable: false });
    await list(store, users, 0);
    await list(store, users, 1);
    await storeHour(store);
  }
  const before = useBytes(path);
  fillDays(path, days);
  const bytes = useBytes(path) - before;
  console.log(
    `${users} users with ${days} days of use each: ${(bytes / (users * days)).toFixed(1)} bytes a row`,
  );
  {
    using store = openSqliteStore({ path, firstStepHoldMs: 0 });
    await measure('a poll in which all users used bytes', () => list(store, users, 2));
    await measure('the pass of an hour, all users used bytes', () => storeHour(store));
    await list(store, users, 2, 3);
    await measure('the pass of an hour in which no user used bytes', () => storeHour(store));
    await list(store, users, 25);
    await measure('the pass of the first hour of a day, all users used bytes', () => storeHour(store));
    for (const length of [1, 7, 30, 400]) {
      const range = { from: TODAY + 1 - length, to: TODAY + 1, types: TYPES, limit: 1_000 };
      await measure(`the ranking of ${length} days`, () => store.userUse.ranking('main', range));
    }
    const accounts = [{ name: 'main', zone: 'UTC', graphs: [], areUsersPolled: true }];
    const maintain = async (now: number): Promise<unknown> =>
      store.maintain({ now, retention: RETENTION, accounts, signal: NEVER });
    await measure('the first maintenance of a day', () => maintain(START + DAY));
    await measure('the next maintenance of this day', () => maintain(START + DAY + HOUR));
    await measure('the use of one user over 400 days', () =>
      store.userUse.ofUser('main', userOf(7, 0).id, TODAY - 400, TODAY + 1),
    );
  }
  await benchHours(`${path}-hours`, users);
};

/** A day in which all users use bytes in every hour has the largest rows. */
const benchHours = async (path: string, users: number): Promise<void> => {
  {
    using store = openSqliteStore({ path, firstStepHoldMs: 0, isDurable: false });
    await list(store, users, 0);
    await storeHour(store);
  }
  const before = useBytes(path);
  {
    using store = openSqliteStore({ path, firstStepHoldMs: 0, isDurable: false });
    for (let hour = 1; hour <= 24; hour += 1) {
      await list(store, users, hour);
      await storeHour(store);
    }
  }
  const bytes = useBytes(path) - before;
  console.log(`a day with 24 hours of use: ${(bytes / users).toFixed(1)} bytes a user`);
};

const storeHour = (store: Store): Promise<boolean> => store.userUse.store('main', 'UTC', NEVER);

/** Lists all users, after they have used bytes in so many hours. */
const list = async (store: Store, users: number, hours: number, atHour = hours): Promise<void> => {
  const ids = new Set<string>();
  const at = START + atHour * HOUR;
  for (let first = 0; first < users; first += PAGE) {
    const page = Array.from({ length: Math.min(PAGE, users - first) }, (_, n) => userOf(first + n, hours));
    for (const { id } of page) ids.add(id);
    await store.users.savePage('main', page, at);
    await new Promise(setImmediate);
  }
  await store.users.completeListing('main', ids, at, at);
};

const userOf = (number: number, hours: number): UserObservation => ({
  id: `user-${String(number).padStart(8, '0')}`,
  ...{ accessType: 'all', isDefault: false, isDeleted: false, strictSecurity: false, enforceHttps: false },
  quotas: {
    residential: { limitBytes: 1e12, usedBytes: hours * (1e6 + ((number * 7_919) % 1e8)) },
    mobile: { limitBytes: null, usedBytes: 0 },
  },
  details: {
    ...{ createdAt: null, updatedAt: null, addressLimit: null, addresses: null },
    ...{ restrictedProxies: null, restrictedServices: null },
  },
});

/** Adds a row of every user for the days before today. */
const fillDays = (path: string, days: number): void => {
  const sql = new SQLite(path);
  sql.pragma('synchronous = OFF');
  sql.exec(`WITH RECURSIVE past (day) AS (SELECT 1 UNION ALL SELECT day + 1 FROM past WHERE day < ${days})
    INSERT INTO user_use SELECT account_id, ${TODAY} - day, mark.id, bytes + day * 4099, 0, NULL
    FROM user_use_mark AS mark, past ORDER BY account_id, ${TODAY} - day, mark.id`);
  sql.exec(`WITH RECURSIVE past (day) AS (SELECT 1 UNION ALL SELECT day + 1 FROM past WHERE day < ${days})
    INSERT INTO user_use_day SELECT account_id, ${TODAY} - past.day, since, until, has_residential, has_mobile, hours
    FROM user_use_day, past`);
  sql.exec(`UPDATE user_use_mark SET days = days + ${days}, bytes = bytes + ${days} * bytes`);
  sql.close();
};

/** Returns the size of the table of use, by its pages. */
const useBytes = (path: string): number => {
  const sql = new SQLite(path);
  const bytes = sql
    .prepare<[], number>("SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name = 'user_use'")
    .pluck()
    .get();
  sql.close();
  return bytes ?? 0;
};

/** Prints the CPU time and the duration of the work, and the longest block of the event loop in CPU time and in wall time. */
const measure = async (what: string, work: () => Promise<unknown>): Promise<void> => {
  let [longestCpuMs, longestMs, isDone] = [0, 0, false];
  const before = process.cpuUsage();
  let [cpu, at] = [before, performance.now()];
  const turn = (): void => {
    longestCpuMs = Math.max(longestCpuMs, cpuMsSince(cpu));
    longestMs = Math.max(longestMs, performance.now() - at);
    [cpu, at] = [process.cpuUsage(), performance.now()];
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  const startedAt = performance.now();
  await work();
  const [cpuMs, durationMs] = [cpuMsSince(before), performance.now() - startedAt];
  await new Promise(setImmediate);
  isDone = true;
  console.log(
    `${what}: CPU ${ms(cpuMs)}, duration ${ms(durationMs)}, longest block ${ms(longestCpuMs)} CPU (${ms(longestMs)} by the clock)`,
  );
};

const cpuMsSince = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};

const ms = (value: number): string => `${value.toFixed(0)} ms`;

if (import.meta.main) await userUse(process.argv.slice(2));
