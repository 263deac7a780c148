// Tests that the store remembers which notifications a receiver did not accept: the newest ones, also after its removal.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DAY } from '../../src/lib/time.ts';
import type { AlertStore } from '../../src/store/alert-store.ts';
import { makeFolder, openStore, START } from './support.ts';

const GROUP = '{"alertname":"Low"}';

const queue = async (alerts: AlertStore, ...times: number[]): Promise<void> => {
  const notifications = times.map((createdAt) => ({
    ...{ receiver: 'hook', id: String(createdAt), createdAt },
    body: JSON.stringify({ groupKey: GROUP }),
  }));
  await alerts.save({ put: [], removed: [], notifications, receivers: ['hook'] });
};

const lossAt = (alerts: AlertStore, at: number) => alerts.lossOf('hook', GROUP, at);

it('keeps what was given up or dropped over a restart, but not what was delivered', async () => {
  const path = join(makeFolder(), 'store.db');
  {
    using store = openStore(path);
    await queue(store.alerts, START, START + 1, START + 2);
    for (const loss of [undefined, 'given_up', 'dropped'] as const) {
      const next = await store.alerts.nextNotification('hook');
      await store.alerts.removeNotification(next?.number ?? 0, loss);
    }
  }
  using store = openStore(path);
  expect(await Promise.all([0, 1, 2].map((after) => lossAt(store.alerts, START + after)))).toEqual([
    undefined,
    'given_up',
    'dropped',
  ]);
  expect(await store.alerts.lossOf('other', GROUP, START + 1)).toBeUndefined();
  expect(await store.alerts.lossOf('hook', '{}', START + 1)).toBeUndefined();
});

it('keeps the newest 1,000 of a receiver, also after its removal', async () => {
  using store = openStore(join(makeFolder(), 'store.db'));
  const { alerts } = store;
  // The queue itself holds 1,000, so all others are dropped.
  await queue(alerts, ...Array.from({ length: 2_001 }, (_, index) => START + index));
  expect(await lossAt(alerts, START)).toBeUndefined();
  expect(await lossAt(alerts, START + 1)).toBe('dropped');
  expect(await lossAt(alerts, START + 1_000)).toBe('dropped');
  expect(await lossAt(alerts, START + 1_001)).toBeUndefined();
  await alerts.save({ put: [], removed: [], notifications: [], receivers: [] });
  // What waited is lost too, and replaces what was lost before.
  expect(await lossAt(alerts, START + 1_000)).toBeUndefined();
  expect(await lossAt(alerts, START + 1_001)).toBe('dropped');
});

it('keeps the loss of a notification that a version without groups queued', async () => {
  using store = openStore(join(makeFolder(), 'store.db'));
  const old = { receiver: 'hook', id: 'old', createdAt: START, body: '{"alerts":[]}' };
  await store.alerts.save({ put: [], removed: [], notifications: [old], receivers: ['hook'] });
  const next = await store.alerts.nextNotification('hook');
  await store.alerts.removeNotification(next?.number ?? 0, 'given_up');
  expect(await store.alerts.lossOf('hook', '', START)).toBe('given_up');
});

it('forgets those that are older than the retention of days', async () => {
  using store = openStore(join(makeFolder(), 'store.db'));
  const { alerts } = store;
  await queue(alerts, START, START + DAY);
  for (let left = 2; left > 0; left -= 1) {
    const next = await alerts.nextNotification('hook');
    await alerts.removeNotification(next?.number ?? 0, 'given_up');
  }
  const retention = { rawMs: DAY, hourlyMs: DAY, dailyMs: DAY };
  const { signal } = new AbortController();
  await store.maintain({ now: START + DAY + 1, retention, accounts: [], signal });
  expect([await lossAt(alerts, START), await lossAt(alerts, START + DAY)]).toEqual([undefined, 'given_up']);
});
