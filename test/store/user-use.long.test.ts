// Tests the use of each proxy user against a model, and the limit of rows and the ranking against all users.

import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startOfLocalDay } from '../../src/lib/local-days.ts';
import { bucketStart, DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { checkFile } from '../../src/store/sqlite/file/check.ts';
import { createDatabase } from '../../src/store/sqlite/file/database.ts';
import { openFile } from '../../src/store/sqlite/file/open.ts';
import { createUseRetention } from '../../src/store/sqlite/user-use/use-retention.ts';
import { makeFolder, openStore, START, TestStore } from './support.ts';
import { ANY_DAY, list, NEVER, TYPES, useOf, user } from './user-use-support.ts';

/** A model of the use of one user and type: pieces of bytes with the start of their hour, the oldest first. */
class Pieces {
  stored = 0;
  list: { hour: number; bytes: number }[] = [];

  store(net: number, hour: number): void {
    const growth = net - this.stored;
    this.stored = net;
    if (growth > 0) this.list.push({ hour, bytes: growth });
    for (let rest = -growth; rest > 0 && this.list.length > 0; ) {
      const newest = this.list.reduce((last, piece) => (piece.hour >= last.hour ? piece : last));
      const taken = Math.min(rest, newest.bytes);
      newest.bytes -= taken;
      rest -= taken;
      if (newest.bytes === 0) this.list.splice(this.list.indexOf(newest), 1);
    }
  }

  byHour(): Map<number, number> {
    const hours = new Map<number, number>();
    for (const { hour, bytes } of this.list) hours.set(hour, (hours.get(hour) ?? 0) + bytes);
    return hours;
  }
}

const IDS = ['a', 'b', 'c'];
const used = fc.option(fc.integer({ min: 0, max: 2 ** 40 }), { freq: 8 });
const poll = fc.record({
  users: fc.uniqueArray(fc.record({ id: fc.constantFrom(...IDS, 'new'), residential: used, mobile: used }), {
    maxLength: 4,
    selector: ({ id }) => id,
  }),
  isComplete: fc.integer({ max: 4, min: 0 }).map((n) => n > 0),
  stepMs: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 5 * MINUTE, max: 70 * MINUTE }) },
    { weight: 1, arbitrary: fc.integer({ min: HOUR, max: 40 * HOUR }) },
  ),
  end: fc.constantFrom('none', 'none', 'restart', 'crash'),
});

it('equals a model of growth, corrections, gaps, new users and restarts, in any zone', async () => {
  const zones = fc.constantFrom('UTC', 'America/New_York', 'Asia/Kolkata');
  // Clocks change in New York two days later.
  const starts = fc
    .tuple(
      fc.constantFrom('2026-03-06T00:00:00Z', '2026-10-30T00:00:00Z'),
      fc.integer({ min: 0, max: 3 * 24 }),
    )
    .map(([first, hours]) => Date.parse(first) + hours * HOUR);
  await fc.assert(
    fc.asyncProperty(zones, starts, fc.array(poll, { maxLength: 14 }), async (zone, start, polls) => {
      using test = new TestStore();
      const model = new Map(
        [...IDS, 'new'].map((id) => [id, { residential: new Pieces(), mobile: new Pieces() }]),
      );
      const known = new Map<number, { since: number; until: number }>();
      const all = new Set([...IDS, 'new']);
      let now = start;
      let storedUntil: number | null = null;
      for (const { users, isComplete, stepMs, end } of polls) {
        const page = users.map(({ id, residential, mobile }) => user(id, residential, mobile));
        await test.store.users.savePage('main', page, now);
        if (isComplete) await test.store.users.completeListing('main', all, now, now);
        if (end === 'restart') test.restart();
        if (end === 'crash') test.crash();
        const didStore = await test.store.userUse.store('main', zone, NEVER);
        const hourStart = bucketStart(zone, now, HOUR);
        const isDue = isComplete && storedUntil !== null && bucketStart(zone, storedUntil, HOUR) < hourStart;
        expect(didStore).toBe(isDue);
        if (isDue && storedUntil !== null) {
          const hour = bucketStart(zone, hourStart - 1, HOUR);
          known.set(hour, { since: storedUntil, until: now });
          for (const { id, quotas } of await test.store.users.page('main', '', 100)) {
            for (const type of TYPES) model.get(id)?.[type].store(quotas[type].usage.net, hour);
          }
        }
        if (isComplete && (storedUntil === null || isDue)) storedUntil = now;
        now += stepMs;
      }
      expect([...checkFile(test.path)].filter(({ damage }) => damage !== null)).toEqual([]);
      const days = await test.store.userUse.days('main', ...ANY_DAY);
      const storedHours = days.flatMap(({ day, hours }) =>
        [...hours].map(([index, period]) => [startOfLocalDay(zone, day) + index * HOUR, period] as const),
      );
      expect(new Map(storedHours)).toEqual(known);
      for (const { id } of await test.store.users.page('main', '', 100)) {
        const use = await useOf(test, id);
        for (const type of TYPES) {
          const hours = use.days.flatMap(({ day, hours }) =>
            [...(hours ?? [])].map(
              ([index, bytes]) => [startOfLocalDay(zone, day) + index * HOUR, bytes[type]] as const,
            ),
          );
          expect(new Map(hours.filter(([, bytes]) => bytes > 0))).toEqual(model.get(id)?.[type].byHour());
          const sum = hours.reduce((total, [, bytes]) => total + bytes, 0);
          expect(use.days.reduce((total, { bytes }) => total + bytes[type], 0)).toBe(sum);
        }
        expect(use.days.every(({ bytes }) => bytes.residential + bytes.mobile > 0)).toBe(true);
      }
    }),
    { numRuns: 30 },
  );
});

it('the limit of rows deletes those of the users with the least use, whose use is then unknown', async () => {
  const bytes = fc.array(fc.integer({ min: 1, max: 1e6 }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(bytes, fc.nat(20), async (perDay, maxRows) => {
      const path = join(makeFolder(), 'store.db');
      const ids = perDay.map((_, n) => `user-${n}`);
      {
        using store = openStore(path);
        for (const day of [0, 1, 2, 3])
          await list(
            { store },
            perDay.map((bytes, n) => user(`user-${n}`, bytes * Math.min(day, 1 + (n % 3)))),
            START + day * DAY,
          );
      }
      {
        using file = new DisposableStack();
        const sql = file.adopt(openFile(path), (open) => open.close());
        const retention = { rawMs: 8 * DAY, hourlyMs: 60 * DAY, dailyMs: 400 * DAY };
        const limit = createUseRetention(
          createDatabase(sql, 0, () => {}),
          maxRows,
        );
        await limit({ now: START + 3 * DAY, retention, signal: NEVER });
        expect([...checkFile(path)].filter(({ damage }) => damage !== null)).toEqual([]);
      }
      using store = openStore(path);
      const rows = perDay.map((bytes, n) => ({ n, days: 1 + (n % 3), bytes: bytes * (1 + (n % 3)) }));
      const request = { from: 0, to: 100_000, types: TYPES, limit: 1 };
      const { deletedUsers } = await store.userUse.ranking('main', request);
      let deleted = 0;
      let surplus = rows.reduce((sum, { days }) => sum + days, 0) - maxRows;
      for (const row of rows.toSorted((one, other) => one.bytes - other.bytes || one.n - other.n)) {
        const use = await useOf({ store }, ids[row.n] ?? '');
        expect([use.days.length, use.deletedUntil === null]).toEqual(
          surplus > 0 ? [0, false] : [row.days, true],
        );
        deleted += Number(surplus > 0);
        surplus -= row.days;
      }
      expect(deletedUsers).toBe(deleted);
    }),
    { numRuns: 10 },
  );
});

it('the ranking has the users with the most bytes of the days first, and the sum over all', async () => {
  const bytes = fc.array(fc.record({ residential: fc.nat(50), mobile: fc.nat(50) }), { maxLength: 30 });
  const types = fc.constantFrom(['residential'] as const, ['mobile'] as const, TYPES);
  await fc.assert(
    fc.asyncProperty(bytes, types, fc.integer({ min: 1, max: 8 }), async (users, types, limit) => {
      using test = new TestStore();
      const at = (factor: number) =>
        users.map(({ residential, mobile }, n) => user(`user-${n}`, factor * residential, factor * mobile));
      for (const day of [0, 1, 2, 3]) await list(test, at(day), START + day * DAY);
      const last = START / DAY - 0.5 + 3;
      const { userUse } = test.store;
      const { first, sum } = await userUse.ranking('main', { from: last - 1, to: last, types, limit });
      const sizeOf = (use: Readonly<Record<(typeof TYPES)[number], number>>) =>
        types.reduce((total, type) => total + use[type], 0);
      // Of the three days with growth, the last two are in the range.
      const sizes = users.map((use) => 2 * sizeOf(use)).filter((size) => size > 0);
      expect(first.map((each) => sizeOf(each.bytes))).toEqual(
        sizes.toSorted((one, other) => other - one).slice(0, limit),
      );
      for (const each of first) {
        const found = await userUse.rankedUser(each.user);
        expect(sizeOf(each.bytes)).toBe(2 * sizeOf(users[Number(found?.id.slice(5))] ?? each.bytes));
      }
      expect(sizeOf(sum)).toBe(sizes.reduce((total, size) => total + size, 0));
    }),
    { numRuns: 12 },
  );
});
