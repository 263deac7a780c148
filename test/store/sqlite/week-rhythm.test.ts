// Tests that the store learns the weekly profile in a user's row, which stays short, also in rows of older versions.

import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { forecastExhaustion, type Rates } from '../../../src/lib/forecast.ts';
import { DAY, HOUR } from '../../../src/lib/time.ts';
import { APPLICATION_ID } from '../../../src/store/sqlite/file/open.ts';
import { FIRST } from '../../../src/store/sqlite/migrations/first.ts';
import type { UserObservation } from '../../../src/store/user-store.ts';
import { makeFolder, observationOf, START, TestStore } from '../support.ts';

const LONG_ID = '0a6e8f1c-0000-4000-8000-000000000000';
const GB = 1e9;

const user = (usedBytes: number): UserObservation => {
  const quota = { limitBytes: 9_000 * GB, usedBytes };
  return observationOf(LONG_ID, { residential: quota, mobile: quota });
};

/** Polls for 26 days, every four hours. Weekends have a tenth of the usage. Returns the time of the last poll. */
const pollForWeeks = async (test: TestStore): Promise<number> => {
  let used = 0;
  let now = START;
  for (; now < START + 26 * DAY; now += 4 * HOUR) {
    await test.store.users.savePage('main', [user(Math.round(used))], now);
    await test.store.users.completeListing('main', new Set([LONG_ID]), now, now);
    used += (now - START) % (7 * DAY) < 5 * DAY ? GB / 3 : GB / 30;
  }
  return now - 4 * HOUR;
};

const ratesOf = async (test: TestStore): Promise<Rates> => {
  const [found] = await test.store.users.page('main', '', 1);
  if (!found) throw new Error('no user');
  return found.quotas.residential.rates;
};

it('is learned across restarts: bytes for one working day last over the weekend', async () => {
  using test = new TestStore();
  const now = await pollForWeeks(test);
  const rates = await ratesOf(test);
  expect(rates.profile).not.toBeNull();
  const exhaustedAt = forecastExhaustion(rates, 2 * GB, now) ?? 0;
  expect(exhaustedAt - now).toBeGreaterThan(2 * DAY);
  expect(forecastExhaustion({ ...rates, profile: null }, 2 * GB, now)).toBeLessThan(now + 2 * DAY);
  test.restart();
  expect(forecastExhaustion(await ratesOf(test), 2 * GB, now)).toBe(exhaustedAt);
});

it('keeps the row of a user with a long id and both products within 230 bytes', async () => {
  using test = new TestStore();
  await pollForWeeks(test);
  const sql = new SQLite(test.path, { readonly: true });
  const longest = sql.prepare("SELECT max(mx_payload) FROM dbstat WHERE name = 'proxy_user'").pluck();
  expect(longest.get()).toBeLessThanOrEqual(230);
  sql.close();
});

it('starts in rows of the first schema, whose forecasts stay the same', async () => {
  const path = join(makeFolder(), 'store.db');
  const [hour, day, week] = [123.456, 1_000.25, 777.7];
  const sql = new SQLite(path);
  sql.exec(FIRST);
  sql.pragma(`application_id = ${APPLICATION_ID}`);
  sql.pragma('user_version = 1');
  sql.exec("INSERT INTO account (id, name) VALUES (1, 'main')");
  const values = [START, START + 20 * DAY, hour, day, week].join(', ');
  sql.exec(
    `INSERT INTO proxy_user VALUES (1, 1, 'a', 'all', 0, 0, 0, 1, 0, 0, NULL,
       1000, 10, 10, 10, ${values}, NULL, NULL, 0, 0, ${START}, ${START}, 0, 0, 0)`,
  );
  sql.exec(`INSERT INTO ledger_pace VALUES (1, '', 10, ${values})`);
  sql.close();
  using test = new TestStore(path);
  const rates = await ratesOf(test);
  expect(rates).toMatchObject({ since: START, at: START + 20 * DAY, slotBytes: null, profile: null });
  expect(rates.hour).toBeCloseTo(hour, 3);
  expect(rates.day).toBeCloseTo(day, 4);
  expect(rates.week).toBeCloseTo(week, 5);
  const { residential: ledger } = test.store.ledgers;
  const now = START + 21 * DAY;
  await expect(ledger.completeListing('main', ['use'], now, now)).resolves.toBeUndefined();
});
