// Tests the stored growth of all proxy users' use against the sum of their own counters.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DAY, MINUTE } from '../../src/lib/time.ts';
import type { UserObservation } from '../../src/store/user-store.ts';
import { observationOf, START, TestStore } from './support.ts';

const user = (id: string, residential: number | null, mobile: number | null = null): UserObservation =>
  observationOf(id, {
    residential: { limitBytes: null, usedBytes: residential },
    mobile: { limitBytes: null, usedBytes: mobile },
  });

/** Every listing names all users, so that none is removed and all can be read. */
const ALL_USER_IDS = new Set(['a', 'b', 'c', 'new']);

/** Stores a listing in pages of one user. Without `ends` it is not completed. */
const storeListing = async (test: TestStore, users: readonly UserObservation[], at: number, ends = true) => {
  for (const [page, each] of users.entries()) {
    await test.store.users.savePage('main', [each], at + page, at);
  }
  if (ends) await test.store.users.completeListing('main', ALL_USER_IDS, at, at + users.length);
};

const usageOf = (test: TestStore, from = 0, to = START + DAY) => test.store.users.usage('main', from, to);

const sumOf = (rows: readonly { readonly bytes: number }[]): number =>
  rows.reduce((sum, { bytes }) => sum + bytes, 0);

it('equals the sum of all counters, whatever is listed and wherever a listing is interrupted', async () => {
  const used = fc.option(fc.nat(1_000), { freq: 6 });
  const listing = fc.record({
    users: fc.array(fc.record({ id: fc.constantFrom('a', 'b', 'c'), residential: used, mobile: used }), {
      maxLength: 4,
    }),
    ends: fc.boolean(),
    stepMs: fc.integer({ min: -MINUTE, max: 5 * MINUTE }),
    crashes: fc.nat(4).map((n) => n === 0),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(listing, { maxLength: 8 }), async (listings) => {
      using test = new TestStore();
      let now = START;
      for (const { users, ends, stepMs, crashes } of listings) {
        const page = users.map(({ id, residential, mobile }) => user(id, residential, mobile));
        await storeListing(test, page, now, ends);
        if (crashes) test.crash();
        now += stepMs;
      }
      const stored = await test.store.users.page('main', '', 10);
      const rows = await usageOf(test);
      for (const type of ['residential', 'mobile'] as const) {
        const counted = stored.reduce((sum, { quotas }) => sum + quotas[type].usage.net, 0);
        expect(sumOf(rows.filter(({ productType }) => productType === type))).toBe(counted);
      }
    }),
    { numRuns: 30 },
  );
});

it('has a period for each listing after the baseline, from the previous listing to its own start', async () => {
  using test = new TestStore();
  const at = (minute: number): number => START + minute * MINUTE;
  await storeListing(test, [user('a', 100, 5), user('b', 50)], at(0));
  await storeListing(test, [user('a', 130, 5), user('b', 50)], at(5));
  await storeListing(test, [user('a', 120), user('new', 7, 9)], at(10), false);
  await storeListing(test, [user('a', 120), user('b', 51), user('new', 7, 9)], at(20));
  const period = (from: number, to: number, residential: number, mobile: number) => [
    { since: at(from), until: at(to), productType: 'mobile', bytes: mobile },
    { since: at(from), until: at(to), productType: 'residential', bytes: residential },
  ];
  const first = period(0, 5, 30, 0);
  const second = period(5, 10, -10 + 7, 9);
  const third = period(5, 20, 1, 0);
  expect(await usageOf(test)).toEqual([...first, ...second, ...third]);
  expect(await usageOf(test, at(5), at(10))).toEqual(second);
  expect(await test.store.users.usage('another', 0, at(20))).toEqual([]);
});
