// Tests which days are compared and shown, and that sources that are no longer polled are not shown.

import { expect, test } from 'vitest';
import { graphDay } from '../../../src/collectors/reconciliation/source-days.ts';
import { DAY, HOUR, MINUTE } from '../../../src/lib/time.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { bucketAt, START as STORED_AT, TestStore } from '../../store/support.ts';
import { QuickClock } from '../../support/harness.ts';
import { advanceHours, buildReconciliation, comparisonsOn, SCENARIO, START } from './support.ts';

/** Hourly buckets, which make the tests faster. */
const HOURLY = { interval: 'hour' };

test('yesterday is compared even if the deep reread is short', { timeout: 60_000 }, async () => {
  await using harness = await buildReconciliation({ traffic: { ...HOURLY, deep_reread: { span: '12h' } } });
  await advanceHours(harness, 42);
  expect((await comparisonsOn(harness, '2026-07-07')).buckets_coarse).toMatchObject({ date: '2026-07-07' });
});

test('a day is compared when it has ended by the clock of the provider too', {
  timeout: 60_000,
}, async () => {
  const clock = new QuickClock(START);
  let aheadMs = 0;
  const now = () => clock.now() - aheadMs;
  await using simulator = await startSimulator({ scenario: { pace: null, ...SCENARIO }, now });
  await using harness = await buildReconciliation({ traffic: HOURLY, clock, simulator });
  await advanceHours(harness, 24);
  aheadMs = DAY;
  clock.jumpTo(clock.now() + DAY);
  await advanceHours(harness, 24);
  const endedAt = (date: string) => Date.parse(date) + DAY;
  expect(now()).toBeLessThan(endedAt('2026-07-08'));
  expect(Object.keys(await comparisonsOn(harness, '2026-07-07'))).toContain('buckets_coarse');
  expect(await comparisonsOn(harness, '2026-07-08')).toEqual({});
});

test('a pair is shown as long as its sources are polled', { timeout: 60_000 }, async () => {
  await using harness = await buildReconciliation({ traffic: HOURLY });
  await advanceHours(harness, 42);
  const pairs = async () =>
    Object.keys((await harness.samples()).by('pair', 'proxywatch_reconcile_unexplained_bytes')).toSorted();
  const all = ['buckets_coarse', 'residential_buckets_coarse', 'residential_buckets_ledger', 'users_ledger'];
  expect(await pairs()).toEqual(all);
  await harness.restart({ proxy_users: false });
  expect(await pairs()).toEqual(all.slice(0, 3));
  await harness.restart({ residential_ledger: false });
  expect(await pairs()).toEqual(all.slice(0, 2));
});

test('the day on which history begins is incomplete, rolled up or not', async () => {
  using test = new TestStore();
  const { store } = test;
  const identity = {
    account: 'main',
    name: '',
    slice: '{}',
    requestFormat: 'UTC',
    zone: 'UTC',
    bucketMs: MINUTE,
  };
  const floor = STORED_AT - HOUR;
  const { id } = await store.traffic.openGraph(identity, floor, STORED_AT);
  const start = Math.floor(STORED_AT / DAY) * DAY;
  const days = [0, 1].map((day) => ({
    ...{ date: '', start: start + day * DAY, end: start + (day + 1) * DAY },
  }));
  const causes = async () => {
    const [graph] = await store.traffic.graphs('main');
    if (!graph) throw new Error('no graph');
    const sides = await Promise.all(days.map((day) => graphDay(store, graph, day)));
    return sides.map(({ explanations }) => explanations.map(({ cause }) => cause));
  };
  const now = STORED_AT + 100 * DAY;
  const buckets = Array.from({ length: 100 * 24 }, (_, hour) => bucketAt(floor + hour * HOUR, { bytes: 1 }));
  const marks = { watermark: now, now, baselinedAt: now, deepReadAt: now };
  await store.traffic.saveWindow(id, { buckets, ...marks });
  expect(await causes()).toEqual([['before_history'], []]);
  for (const hourlyMs of [90 * DAY, 10 * DAY]) {
    await store.maintain({
      ...{ now, retention: { rawMs: 8 * DAY, hourlyMs, dailyMs: 400 * DAY } },
      accounts: [{ name: 'main', zone: 'UTC', graphs: [''], areUsersPolled: false }],
      signal: new AbortController().signal,
    });
    expect(await causes()).toEqual([['before_history'], []]);
  }
});
