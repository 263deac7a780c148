// Tests the use of each proxy user by hour and by day: its periods, kills, upgrades and retention.

import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import SQLite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { startOfLocalDay } from '../../src/lib/local-days.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { checkFile } from '../../src/store/sqlite/file/check.ts';
import { makeFolder, START, TestStore } from './support.ts';
import { ANY_DAY, list, NEVER, sumOf, useOf, user } from './user-use-support.ts';

/** The provider gives the used bytes of both types. */
const BOTH = { residential: true, mobile: true };

const isoHours = (hours: Iterable<number>, day: number, zone = 'UTC'): string[] =>
  [...hours].map((index) => new Date(startOfLocalDay(zone, day) + index * HOUR).toISOString().slice(0, 16));

/** Returns a signal that aborts after so many slices. */
const abortAfter = (slices: number): AbortSignal => {
  let checks = 0;
  const signal = {
    get aborted() {
      checks += 1;
      return checks > slices;
    },
  };
  return signal as AbortSignal;
};

describe('the use of a user', () => {
  it('is counted in the hour before the first listing of the next hour', async () => {
    using test = new TestStore();
    expect(await list(test, [user('a', 100)], START)).toBe(false);
    expect(await list(test, [user('a', 130)], START + 30 * MINUTE)).toBe(false);
    expect(await list(test, [user('a', 150), user('new', 7)], START + HOUR)).toBe(true);
    expect((await useOf(test, 'a')).days).toEqual([
      { day: START / DAY - 0.5, bytes: { residential: 50, mobile: 0 }, hours: expect.anything() },
    ]);
    expect(sumOf(await useOf(test, 'new'))).toBe(7);
    const [day] = await test.store.userUse.days('main', ...ANY_DAY);
    expect(isoHours(day?.hours.keys() ?? [], day?.day ?? 0)).toEqual(['2026-03-01T12:00']);
    expect(day?.hours.get(12)).toEqual({ since: START, until: START + HOUR, isGiven: BOTH });
  });

  it('of a time without listings is counted in the last hour of this time, whose period says so', async () => {
    using test = new TestStore();
    await list(test, [user('a', 100)], START);
    await list(test, [user('a', 110)], START + HOUR);
    await list(test, [user('a', 510)], START + 5 * HOUR + 20 * MINUTE);
    await list(test, [user('a', 511)], START + 6 * HOUR);
    const [day] = await test.store.userUse.days('main', ...ANY_DAY);
    expect(isoHours(day?.hours.keys() ?? [], day?.day ?? 0)).toEqual([
      ...['2026-03-01T12:00', '2026-03-01T16:00', '2026-03-01T17:00'],
    ]);
    expect(day?.hours.get(16)).toEqual({
      ...{ since: START + HOUR, until: START + 5 * HOUR + 20 * MINUTE, isGiven: BOTH },
    });
    expect((await useOf(test, 'a')).days[0]?.hours?.get(16)).toEqual({ residential: 400, mobile: 0 });
  });

  it('is not stored before the first complete listing', async () => {
    using test = new TestStore();
    await test.store.users.savePage('main', [user('a', 100)], START);
    await test.store.users.savePage('main', [user('a', 900)], START + HOUR);
    expect(await test.store.userUse.store('main', 'UTC', NEVER)).toBe(false);
    expect(await test.store.userUse.days('main', ...ANY_DAY)).toEqual([]);
    expect(await test.store.userUse.ofUser('main', 'b', ...ANY_DAY)).toBeUndefined();
  });

  it('is unknown from the older file of a new epoch until the first listing', async () => {
    using test = new TestStore();
    await list(test, [user('a', 100)], START);
    await list(test, [user('a', 150)], START + HOUR);
    const older = join(makeFolder(), 'older.db');
    test.restart();
    copyFileSync(test.path, older);
    await list(test, [user('a', 250)], START + 2 * HOUR);
    await test.store[Symbol.dispose]();
    copyFileSync(older, test.path);
    test.restart();
    expect(test.store.epoch.isNew).toBe(true);
    await list(test, [user('a', 300)], START + 3 * HOUR);
    await list(test, [user('a', 320)], START + 4 * HOUR);
    const [day] = await test.store.userUse.days('main', ...ANY_DAY);
    expect([...(day?.hours ?? [])]).toEqual([
      [12, { since: START, until: START + HOUR, isGiven: BOTH }],
      [15, { since: START + 3 * HOUR, until: START + 4 * HOUR, isGiven: BOTH }],
    ]);
    const bytesOf = (residential: number) => ({ residential, mobile: 0 });
    expect([...((await useOf(test, 'a')).days[0]?.hours ?? [])]).toEqual([
      [12, bytesOf(50)],
      [15, bytesOf(20)],
    ]);
  });

  it('says when the provider did not give a type', async () => {
    using test = new TestStore();
    const missing = async () => (await useOf(test, 'a')).missing;
    const forever = Number.POSITIVE_INFINITY;
    await list(test, [user('a', 1, null)], START);
    expect(await missing()).toEqual({ residential: null, mobile: { since: 0, until: forever } });
    const firstMobile = { since: 0, until: START + HOUR };
    for (const hour of [1, 2]) await list(test, [user('a', null, 5)], START + hour * HOUR);
    expect(await missing()).toEqual({
      residential: { since: START + HOUR, until: forever },
      mobile: firstMobile,
    });
    test.restart();
    for (const hour of [3, 4, 5, 6])
      await list(test, [user('a', hour === 3 || hour === 6 ? 1 : null, 5)], START + hour * HOUR);
    expect(await missing()).toEqual({
      residential: { since: START + HOUR, until: START + 6 * HOUR },
      mobile: firstMobile,
    });
    const days = await test.store.userUse.days('main', ...ANY_DAY);
    expect(days.map(({ isGiven }) => isGiven)).toEqual([{ residential: true, mobile: true }]);
  });
});

describe('a pass that is killed between two slices', () => {
  const ids = Array.from({ length: 700 }, (_, n) => `user-${String(n).padStart(4, '0')}`);
  const all = (bytes: number) => ids.map((id) => user(id, bytes));

  it.each([0, 1, 2, 4])('after %i slices loses nothing and counts nothing twice', async (slices) => {
    using test = new TestStore();
    await list(test, all(100), START);
    await test.store.users.savePage('main', all(150), START + HOUR);
    await test.store.users.completeListing('main', new Set(ids), START + HOUR, START + HOUR);
    expect(await test.store.userUse.store('main', 'UTC', abortAfter(slices))).toBe(false);
    expect(await test.store.userUse.days('main', ...ANY_DAY)).toEqual([]);
    test.crash();
    expect(await list(test, all(160), START + 3 * HOUR)).toBe(true);
    const [day] = await test.store.userUse.days('main', ...ANY_DAY);
    expect([...(day?.hours ?? [])]).toEqual([[12, { since: START, until: START + 3 * HOUR, isGiven: BOTH }]]);
    for (const id of [ids[0], ids[250], ids[699]]) {
      const { days } = await useOf(test, id ?? '');
      expect(days.map(({ hours }) => [...(hours ?? [])])).toEqual([[[12, { residential: 60, mobile: 0 }]]]);
    }
  });
});

describe('a pass that is killed in a later hour of the day', () => {
  it('has stored a part of its hour in the sums of the day, and no hour', async () => {
    using test = new TestStore();
    const ids = Array.from({ length: 300 }, (_, n) => `user-${String(n).padStart(3, '0')}`);
    const all = (bytes: number) => ids.map((id) => user(id, bytes));
    for (const hour of [0, 1]) await list(test, all(10 * hour), START + hour * HOUR);
    await test.store.users.savePage('main', all(15), START + 2 * HOUR);
    await test.store.users.completeListing('main', new Set(ids), START + 2 * HOUR, START + 2 * HOUR);
    await test.store.userUse.store('main', 'UTC', abortAfter(1));
    const sums = async () => [sumOf(await useOf(test, 'user-000')), sumOf(await useOf(test, 'user-299'))];
    const hours = async () => [
      ...((await test.store.userUse.days('main', ...ANY_DAY))[0]?.hours.keys() ?? []),
    ];
    expect([await sums(), await hours()]).toEqual([[15, 10], [12]]);
    test.crash();
    await list(test, all(15), START + 3 * HOUR);
    expect([await sums(), await hours()]).toEqual([
      [15, 15],
      [12, 13],
    ]);
  });
});

it('a store of the fifth schema counts only what users use after the upgrade', async () => {
  const path = join(makeFolder(), 'store.db');
  writeFileSync(path, gunzipSync(readFileSync(join(import.meta.dirname, '../fixtures/stores/v5.db.gz'))));
  using test = new TestStore(path);
  const users = await test.store.users.page('main', '', 1_000);
  expect(users.some(({ quotas }) => quotas.residential.usage.net > 0)).toBe(true);
  const { storedAt } = await test.store.users.listing('main');
  const grown = users.map(({ id, quotas: { residential, mobile } }) =>
    user(id, (residential.usedBytes ?? 0) + 5, mobile.usedBytes),
  );
  expect(await list(test, grown, (storedAt ?? 0) + HOUR)).toBe(true);
  for (const { id } of users) expect(sumOf(await useOf(test, id))).toBe(5);
  expect(await test.store.userUse.since('main')).toBe(storedAt);
});

describe('retention', () => {
  const RETENTION = { rawMs: 8 * DAY, hourlyMs: 9 * DAY, dailyMs: 20 * DAY };
  const main = { name: 'main', zone: 'UTC', graphs: [], areUsersPolled: true };
  const maintain = (test: TestStore, now: number) =>
    test.store.maintain({ now, retention: RETENTION, accounts: [main], signal: NEVER });

  const usersWithRows = (test: TestStore): number | undefined => {
    using file = new DisposableStack();
    const sql = file.adopt(new SQLite(test.path, { readonly: true }), (open) => open.close());
    return sql.prepare<[], number>('SELECT count(DISTINCT mark) FROM user_use').pluck().get();
  };

  it('deletes hours after 8 days, and days with the daily history', async () => {
    using test = new TestStore();
    for (let day = 0; day < 30; day += 1) {
      await list(test, [user('a', 100 * day)], START + day * DAY);
      await maintain(test, START + day * DAY);
    }
    const { days } = await useOf(test, 'a');
    const newest = START / DAY - 0.5 + 29;
    expect(days.map(({ day }) => newest - day)).toEqual(Array.from({ length: 22 }, (_, n) => 21 - n));
    expect(days.filter(({ hours }) => hours !== null).map(({ day }) => newest - day)).toEqual(
      Array.from({ length: 10 }, (_, n) => 9 - n),
    );
    expect([...checkFile(test.path)].filter(({ damage }) => damage !== null)).toEqual([]);
    const periods = await test.store.userUse.days('main', ...ANY_DAY);
    expect(periods.map(({ day }) => day)).toEqual(days.map(({ day }) => day));
    expect(periods.filter(({ hours }) => hours.size > 0)).toHaveLength(10);
  });

  it('deletes the use of a deleted user, and not that of the next one', async () => {
    using test = new TestStore();
    const stays = user('stays', 5);
    await list(test, [user('stays', 0), user('leaves', 5)], START);
    await list(test, [stays, user('leaves', 9)], START + HOUR);
    for (const hour of [2, 3]) await list(test, [stays], START + hour * HOUR);
    expect(sumOf(await useOf(test, 'leaves'))).toBe(4);
    // The day itself is not too old yet.
    const later = START + RETENTION.dailyMs + 4 * HOUR;
    await maintain(test, later);
    expect(usersWithRows(test)).toBe(1);
    expect(sumOf(await useOf(test, 'stays'))).toBe(5);
    expect(await test.store.userUse.ofUser('main', 'leaves', ...ANY_DAY)).toBeUndefined();
    await list(test, [stays, user('leaves', 70)], later);
    await list(test, [stays, user('leaves', 71)], later + HOUR);
    expect(sumOf(await useOf(test, 'leaves'))).toBe(71);
    expect([...checkFile(test.path)].filter(({ damage }) => damage !== null)).toEqual([]);
  });

  it('deletes the use of an account that is no longer configured', async () => {
    using test = new TestStore();
    await list(test, [user('a', 5)], START);
    await list(test, [user('a', 9)], START + HOUR);
    const now = START + 30 * DAY;
    await test.store.maintain({ now, retention: RETENTION, accounts: [], signal: NEVER });
    expect(await test.store.userUse.days('main', ...ANY_DAY)).toEqual([]);
    expect(await test.store.userUse.ofUser('main', 'a', ...ANY_DAY)).toBeUndefined();
  });
});
