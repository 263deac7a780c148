// Tests what a store says about how it has the history around a time.

import { expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { bucketAt, makeFolder, openStore, START, TestStore } from './support.ts';
import { poll, user } from './user-support.ts';

const RETENTION = { rawMs: 2 * DAY, hourlyMs: 2 * DAY, dailyMs: 400 * DAY };

const graph = (zone: string) => ({
  ...{ account: 'main', name: '', slice: '{}', requestFormat: zone, zone, bucketMs: MINUTE },
});

const maintain = (store: TestStore['store'], now: number, retention = RETENTION): Promise<unknown> => {
  const accounts = [{ name: 'main', zone: 'UTC', graphs: [''], areUsersPolled: true }];
  return store.maintain({ now, retention, accounts, signal: new AbortController().signal });
};

it('nothing is rolled up in a new store', async () => {
  using store = openStore(`${makeFolder()}/store.db`);
  expect(await store.publications.rolledUp(START)).toEqual({ until: 0, from: START });
});

it('a time in a rolled-up day or hour of traffic has the start of its bucket', async () => {
  using store = openStore(`${makeFolder()}/store.db`);
  const { id } = await store.traffic.openGraph(graph('America/New_York'), START - 3 * DAY, START);
  const now = START + 3 * DAY + HOUR;
  const buckets = [0, 30 * HOUR, 70 * HOUR, 73 * HOUR].map((age) => bucketAt(START + age, { bytes: 1 }));
  await store.traffic.saveWindow(id, { buckets, now });
  await maintain(store, now, { ...RETENTION, hourlyMs: 60 * DAY });
  // The newest bucket is two days and some hours old when the first hours are rolled up.
  expect(await store.publications.rolledUp(START + 30 * MINUTE)).toEqual({
    until: START + HOUR,
    from: START,
  });
  await maintain(store, now);
  const midnight = Date.parse('2026-03-01T05:00:00Z');
  for (const at of [START + 30 * MINUTE, midnight + 1, midnight + DAY - 1])
    expect(await store.publications.rolledUp(at)).toEqual({ until: midnight + DAY, from: midnight });
  for (const at of [midnight, midnight + DAY, START + 2 * DAY])
    expect(await store.publications.rolledUp(at)).toEqual({ until: midnight + DAY, from: at });
});

it('the use of users is rolled up until its newest hour or day', async () => {
  using test = new TestStore();
  for (const hour of [0, 1, 2, 80]) await poll(test, [user('a', hour, 2 ** 40)], START + hour * HOUR);
  await maintain(test.store, START + 80 * HOUR, { ...RETENTION, hourlyMs: 60 * DAY });
  expect((await test.store.publications.rolledUp(START)).until).toBe(START + 2 * HOUR);
});
