// Tests how long sums of tests by hour and day are kept, and what a store of the version before shows.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DAY, HOUR } from '../../src/lib/time.ts';
import { makeFolder, START, TestStore } from './support.ts';
import { failure, result, save } from './test-results.ts';

const midnight = Math.floor(START / DAY) * DAY;

it('days are exact for 90 days and hours for a month, however tests pause', async () => {
  const gaps = fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 50 * 24 }));
  await fc.assert(
    fc.asyncProperty(fc.array(gaps, { minLength: 1, maxLength: 12 }), async (gaps) => {
      using test = new TestStore();
      const saved: number[] = [];
      let at = midnight;
      for (const hours of gaps) {
        at += hours * HOUR;
        await save(test, [failure({ cause: 'proxy' }), result({ url: 'other' })], at);
        saved.push(at);
      }
      const today = Math.floor(at / DAY) * DAY;
      const expected = (from: number, to: number) => {
        const count = saved.filter((each) => each >= from && each < to).length;
        return { results: 2 * count, successes: count, ownFailures: count, otherFailures: 0 };
      };
      const history = (from: number, to: number, stepMs: number) =>
        test.store.tests.uptimeHistory('main', { proxy: 'fr-1' }, from, to, stepMs);
      const first = today - 89 * DAY;
      expect(await history(first, today + DAY, DAY)).toMatchObject(
        Array.from({ length: 90 }, (_, day) => expected(first + day * DAY, first + (day + 1) * DAY)),
      );
      const [from, to] = [at - 30 * DAY, Math.floor(at / HOUR + 1) * HOUR];
      expect(await test.store.tests.uptime('main', { proxy: 'fr-1' }, from, to)).toMatchObject(
        expected(from, to),
      );
      expect(
        await test.store.tests.uptimes('main', { proxy: 'fr-1' }, [
          { from, to },
          { from: first, to },
        ]),
      ).toEqual([
        await test.store.tests.uptime('main', { proxy: 'fr-1' }, from, to),
        await test.store.tests.uptime('main', { proxy: 'fr-1' }, first, to),
      ]);
    }),
    { numRuns: 15 },
  );
});

it('days are deleted after 90 days', async () => {
  using test = new TestStore();
  const day = async () =>
    (await test.store.tests.uptime('main', { url: 'shop' }, midnight, midnight + DAY)).results;
  await save(test, [result()], midnight);
  await save(test, [result()], midnight + 90 * DAY);
  expect(await day()).toBe(1);
  await save(test, [result()], midnight + 90 * DAY + HOUR);
  expect(await day()).toBe(0);
});

it('a store of the fifth schema keeps its history, and does not say what is at fault for its failures', async () => {
  const path = join(makeFolder(), 'store.db');
  const fixture = join(import.meta.dirname, '../fixtures/stores/v5.db.gz');
  writeFileSync(path, gunzipSync(readFileSync(fixture)));
  using test = new TestStore(path);
  const { tests } = test.store;
  const end = Date.parse('2026-07-06T15:00:00Z');
  const uptime = (proxy: string) => tests.uptime('main', { proxy }, end - DAY, end);
  expect(await uptime('p1')).toMatchObject({ results: 46, successes: 46, ownFailures: 0, otherFailures: 0 });
  const url = 'https://shop.example/';
  const before = await uptime('p2');
  expect(before).toMatchObject({ results: 46, successes: 32, ownFailures: null, otherFailures: null });
  const fail = (at: number) =>
    save(
      test,
      ['p1', 'p2'].map((proxy) => failure({ proxy, url, cause: 'proxy' })),
      at,
    );
  await fail(end - 1);
  await fail(end + HOUR);
  expect(await uptime('p2')).toMatchObject({ results: 47, successes: 32, ownFailures: null });
  expect(await tests.uptime('main', { proxy: 'p2' }, end, end + DAY)).toMatchObject({
    ...{ results: 1, successes: 0, ownFailures: 1, otherFailures: 0 },
  });
  // Of a day without failures before the upgrade, all failures are known.
  const day = Math.floor(end / DAY) * DAY;
  expect(await tests.uptime('main', { proxy: 'p1' }, day, day + DAY)).toMatchObject({ ownFailures: 2 });
  expect(await tests.uptime('main', { proxy: 'p2' }, day, day + DAY)).toMatchObject({ ownFailures: null });
});
