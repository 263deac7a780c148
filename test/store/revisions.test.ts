// Tests that the revision of a part of the store rises with writes to that part only.

import { expect, test } from 'vitest';
import { DAY, HOUR } from '../../src/lib/time.ts';
import type { Store, StorePart } from '../../src/store/store.ts';
import { START, TestStore } from './support.ts';

const FAULT = { kind: 'proxy', subject: 'fr-1', since: START, reason: '' } as const;
const PARTS: readonly StorePart[] = ['users', 'ledgers', 'tests', 'runs'];

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
  expect(await risenBy(() => store.tests.saveFaults('main', [FAULT], START))).toEqual(['tests']);
  expect(await risenBy(() => store.ledgers.residential.open('main', ['usage'], START))).toEqual(['ledgers']);
  expect(await risenBy(() => store.users.page('main', '', 9))).toEqual([]);
  expect(await risenBy(() => store.checkWritable())).toEqual([]);
  const users = store.revision(['users', 'ledgers']);
  await store.ledgers.residential.savePage('main', [], START);
  expect(store.revision(['users', 'ledgers'])).toBeGreaterThan(users);
});

const maintain = (store: Store, now: number) => {
  const retention = { rawMs: DAY, hourlyMs: DAY, dailyMs: DAY };
  const { signal } = new AbortController();
  return store.maintain({ now, retention, accounts: [], signal });
};

test('a write that may change any part raises all revisions', async () => {
  using test = new TestStore();
  const { store } = test;
  await store.users.savePage('main', [], START);
  const before = PARTS.map((part) => store.revision([part]));
  await maintain(store, START + 9 * DAY);
  PARTS.forEach((part, index) => {
    expect(store.revision([part])).toBeGreaterThan(before[index] ?? 0);
  });
});

test('maintenance that finds nothing to delete raises no revision', async () => {
  using test = new TestStore();
  const { store } = test;
  await maintain(store, START);
  const before = store.revision(PARTS);
  await maintain(store, START + HOUR);
  expect(store.revision(PARTS)).toBe(before);
});
