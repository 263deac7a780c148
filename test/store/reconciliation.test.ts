// Tests stored reconciliations: a day is replaced, the newest day of each pair is returned, and old days are deleted.

import { expect, test } from 'vitest';
import { DAY, HOUR } from '../../src/lib/time.ts';
import type { ReconciledDay, SourcePair } from '../../src/store/reconciliation-store.ts';
import { START, TestStore } from './support.ts';

const dayOf = (pair: SourcePair, daysAgo: number, firstBytes: number): ReconciledDay => {
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

test('a day that is compared again is replaced, and the newest day of each pair is returned', async () => {
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

test('days older than the daily history are deleted', async () => {
  using test = new TestStore();
  const days = Array.from({ length: 600 }, (_, index) => dayOf('users_ledger', index, 100));
  await test.store.reconciliation.save('main', days, START);
  await test.store.maintain({
    now: START,
    retention: { rawMs: DAY, hourlyMs: 2 * DAY, dailyMs: 100 * DAY },
    accounts: [{ name: 'main', zone: 'UTC', graphs: [], areUsersPolled: true }],
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
