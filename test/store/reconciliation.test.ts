// What comparisons found: a day is replaced, the newest of each pair is told, old ones are deleted.

import { expect, test } from 'vitest';
import { DAY, HOUR } from '../../src/lib/time.ts';
import type { Pair, Reconciled } from '../../src/store/reconciliation-store.ts';
import { START, TestStore } from './support.ts';

const dayOf = (pair: Pair, daysAgo: number, firstBytes: number): Reconciled => {
  const dayStart = START - 12 * HOUR - daysAgo * DAY;
  return {
    ...{ pair, dayStart, date: new Date(dayStart).toISOString().slice(0, 10), firstBytes },
    ...{
      secondBytes: 100,
      explained: [{ cause: 'smartpath', bytes: 7 }],
      unexplainedBytes: firstBytes - 107,
    },
    hours: [{ at: dayStart, firstBytes, secondBytes: 100 }],
  };
};

test('a day that is compared again takes its own place, and each pair has its newest', async () => {
  using test = new TestStore();
  const { reconciliation } = test.store;
  const [old, young] = [dayOf('users_ledger', 3, 90), dayOf('users_ledger', 1, 110)];
  const other = dayOf('buckets_coarse', 2, 100);
  await reconciliation.save('main', [old, young, other, dayOf('buckets_coarse', 3, 1)], START);
  await reconciliation.save('main', [dayOf('buckets_coarse', 3, 99)], START + DAY);
  test.restart();
  expect(await test.store.reconciliation.newest('main')).toEqual([other, young]);
  expect(await test.store.reconciliation.days('main', old.dayStart, other.dayStart)).toEqual([
    dayOf('buckets_coarse', 3, 99),
    old,
  ]);
  expect(await test.store.reconciliation.newest('shop')).toEqual([]);
});

test('days go when they are older than the daily history', async () => {
  using test = new TestStore();
  const days = Array.from({ length: 600 }, (_, index) => dayOf('users_ledger', index, 100));
  await test.store.reconciliation.save('main', days, START);
  await test.store.maintain({
    now: START,
    retention: { rawMs: DAY, hourlyMs: 2 * DAY, dailyMs: 100 * DAY },
    accounts: [{ name: 'main', zone: 'UTC', graphs: [], hasUsers: true }],
    signal: new AbortController().signal,
  });
  const left = await test.store.reconciliation.days('main', 0, START);
  expect(left.map(({ dayStart }) => dayStart)).toEqual(
    days
      .slice(0, 100)
      .map(({ dayStart }) => dayStart)
      .toReversed(),
  );
});
