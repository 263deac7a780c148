// Tests that misses of a complete listing count once, although a crash or a repetition interrupts the count in slices.

import SQLite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import { observationOf, START, TestStore } from './support.ts';

const ids = Array.from({ length: 2_500 }, (_, n) => `user-${String(n).padStart(5, '0')}`);
const REMAINING_IDS = ids.filter((_, n) => n % 5 === 0);
const user = (id: string) => observationOf(id, { residential: { limitBytes: null, usedBytes: 1 } });
const at = (listing: number): number => START + listing * MINUTE;

const fill = async (test: TestStore): Promise<void> => {
  await test.store.users.savePage('main', ids.map(user), at(0));
  await complete(test, 0, ids);
};

const complete = (test: TestStore, listing: number, seen: readonly string[]): Promise<void> =>
  test.store.users.completeListing('main', new Set(seen), at(listing), at(listing));

const presentIds = async (test: TestStore): Promise<string[]> =>
  (await test.store.users.page('main', '', 5_000)).map(({ id }) => id);

/** Crashes when the misses of only part of the rows are stored. */
const crashDuringListing = async (test: TestStore, listing: number): Promise<void> => {
  const sql = new SQLite(test.path, { readonly: true });
  const misses = sql.prepare<[], number>('SELECT sum(missed_listings) FROM proxy_user').pluck();
  const before = misses.get();
  const interrupted = complete(test, listing, REMAINING_IDS).catch(() => {});
  while (misses.get() === before) await new Promise(setImmediate);
  sql.close();
  test.crash();
  await interrupted;
  expect((await test.store.users.listing('main')).completeStartedAt).toBeLessThan(at(listing));
};

it('a listing that is completed twice counts one miss', async () => {
  using test = new TestStore();
  await fill(test);
  for (const _ of [1, 2, 3]) await complete(test, 1, REMAINING_IDS);
  expect(await presentIds(test)).toEqual(ids);
  for (const _ of [1, 2]) await complete(test, 2, REMAINING_IDS);
  expect(await presentIds(test)).toEqual(REMAINING_IDS);
});

it('a first miss that a crash interrupted removes no user', async () => {
  using test = new TestStore();
  await fill(test);
  for (const listing of [1, 2]) await crashDuringListing(test, listing);
  await complete(test, 3, REMAINING_IDS);
  expect(await presentIds(test)).toEqual(ids);
  await complete(test, 4, REMAINING_IDS);
  expect(await presentIds(test)).toEqual(REMAINING_IDS);
});

it('a second miss that a crash interrupted removes no user until the next complete listing', async () => {
  using test = new TestStore();
  await fill(test);
  await complete(test, 1, REMAINING_IDS);
  await crashDuringListing(test, 2);
  expect(await presentIds(test)).toEqual(ids);
  expect((await test.store.users.find('main', 'user-00001'))?.id).toBe('user-00001');
  await test.store.users.savePage('main', [user('user-00001')], at(3));
  await complete(test, 3, [...REMAINING_IDS, 'user-00001']);
  expect(await presentIds(test)).toEqual([...REMAINING_IDS, 'user-00001'].sort());
});
