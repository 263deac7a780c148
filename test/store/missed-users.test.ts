// The misses of a complete listing are counted in slices: neither a crash in between nor a second time changes anything.

import SQLite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import { observationOf, START, TestStore } from './support.ts';

const ids = Array.from({ length: 2_500 }, (_, n) => `user-${String(n).padStart(5, '0')}`);
const STAYS = ids.filter((_, n) => n % 5 === 0);
const user = (id: string) => observationOf(id, { residential: { limitBytes: null, usedBytes: 1 } });
const at = (listing: number): number => START + listing * MINUTE;

const fill = async (test: TestStore): Promise<void> => {
  await test.store.users.savePage('main', ids.map(user), at(0));
  await complete(test, 0, ids);
};

const complete = (test: TestStore, listing: number, seen: readonly string[]): Promise<void> =>
  test.store.users.completeListing('main', new Set(seen), at(listing), at(listing));

const there = async (test: TestStore): Promise<string[]> =>
  (await test.store.users.page('main', '', 5_000)).map(({ id }) => id);

/** Crashes once the misses of a part of the rows are stored. */
const crashInside = async (test: TestStore, listing: number): Promise<void> => {
  const sql = new SQLite(test.path, { readonly: true });
  const misses = sql.prepare<[], number>('SELECT sum(missed) FROM proxy_user').pluck();
  const before = misses.get();
  const cutOff = complete(test, listing, STAYS).catch(() => {});
  while (misses.get() === before) await new Promise(setImmediate);
  sql.close();
  test.crash();
  await cutOff;
  expect((await test.store.users.listing('main')).completeStartedAt).toBeLessThan(at(listing));
};

it('a listing that is completed twice counts one miss', async () => {
  using test = new TestStore();
  await fill(test);
  for (const _ of [1, 2, 3]) await complete(test, 1, STAYS);
  expect(await there(test)).toEqual(ids);
  for (const _ of [1, 2]) await complete(test, 2, STAYS);
  expect(await there(test)).toEqual(STAYS);
});

it('a first miss that a crash cut off counts for nobody', async () => {
  using test = new TestStore();
  await fill(test);
  for (const listing of [1, 2]) await crashInside(test, listing);
  await complete(test, 3, STAYS);
  expect(await there(test)).toEqual(ids);
  await complete(test, 4, STAYS);
  expect(await there(test)).toEqual(STAYS);
});

it('a second miss that a crash cut off removes nobody until the next complete listing', async () => {
  using test = new TestStore();
  await fill(test);
  await complete(test, 1, STAYS);
  await crashInside(test, 2);
  expect(await there(test)).toEqual(ids);
  expect((await test.store.users.find('main', 'user-00001'))?.id).toBe('user-00001');
  await test.store.users.savePage('main', [user('user-00001')], at(3));
  await complete(test, 3, [...STAYS, 'user-00001']);
  expect(await there(test)).toEqual([...STAYS, 'user-00001'].sort());
});
