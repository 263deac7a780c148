// Tests that the revision of a part of the store rises with writes to that part only.

import { expect, test } from 'vitest';
import { DAY } from '../../src/lib/time.ts';
import type { StorePart } from '../../src/store/store.ts';
import { START, TestStore } from './support.ts';

const PARTS: readonly StorePart[] = ['users', 'ledger', 'tests', 'runs'];

test('a revision rises only with writes to its parts', async () => {
  using test = new TestStore();
  const { store } = test;
  const revisions = () => PARTS.map((part) => store.revision([part]));
  const risenBy = async (work: () => Promise<unknown>): Promise<StorePart[]> => {
    const before = revisions();
    await work();
    return PARTS.filter((_, index) => (revisions()[index] ?? 0) > (before[index] ?? 0));
  };
  expect(await risenBy(() => store.users.savePage('main', [], START))).toEqual(['users']);
  expect(await risenBy(() => store.tests.saveFaults('main', [], START))).toEqual(['tests']);
  expect(await risenBy(() => store.ledger.open('main', ['usage'], START))).toEqual(['ledger']);
  expect(await risenBy(() => store.users.page('main', '', 9))).toEqual([]);
  expect(await risenBy(() => store.checkWritable())).toEqual([]);
  const users = store.revision(['users', 'ledger']);
  await store.ledger.savePage('main', [], START);
  expect(store.revision(['users', 'ledger'])).toBeGreaterThan(users);
});

test('a write that may change any part raises all revisions', async () => {
  using test = new TestStore();
  const { store } = test;
  const before = PARTS.map((part) => store.revision([part]));
  const retention = { rawMs: DAY, hourlyMs: DAY, dailyMs: DAY };
  const { signal } = new AbortController();
  await store.maintain({ now: START, retention, accounts: [], signal });
  PARTS.forEach((part, index) => {
    expect(store.revision([part])).toBeGreaterThan(before[index] ?? 0);
  });
});
