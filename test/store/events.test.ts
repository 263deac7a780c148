// Tests the events that can explain a jump in a plot: starts, changes of the inventory, and values that changed late.

import SQLite from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { METERED_TYPES } from '../../src/lib/product-types.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import type { InventoryProxy } from '../../src/store/inventory-store.ts';
import type { LedgerRow } from '../../src/store/ledger-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { BucketWindow } from '../../src/store/traffic-store.ts';
import { bucketAt, START, TestStore } from './support.ts';

const ALL = { from: 0, to: START + 100 * DAY, stepMs: MINUTE };
const PROXY: InventoryProxy = {
  ...{ id: 'p', productType: 'isp', protocol: null, status: null, address: null, httpPort: null },
  ...{ socks5Port: null, subnetId: null, asnId: null, asnName: null, cityId: null, cityName: null },
  ...{ countryId: null, serviceId: 's', addressV6: null, addressIdV4: null, addressIdV6: null },
  ...{ subnetIdV6: null, lineItemId: null, updatedAt: null, users: null, userIds: null, latitude: null },
  ...{ longitude: null, examplePostcode: null, timeZone: null, countryName: null },
  ...{ subdivisionId: null, subdivisionName: null },
};
const group = (at: number, count = 1, until = at) => ({ at, until, count });

const recordRun = ({ runs }: Store): Promise<void> =>
  runs.record({
    ...{ account: 'main', collector: 'traffic', startedAt: START, finishedAt: START, result: 'ok' },
    ...{ isSuccess: true, errorKind: null, errorMessage: null, skippedItems: 0, failingParts: 0 },
    intervalMs: MINUTE,
  });

describe('starts of the daemon', () => {
  test('are unknown before the first, which is no restart', async () => {
    using files = new TestStore();
    const { events } = files.store;
    expect(await events.startsKnownSince()).toBeNull();
    await events.addStart(START);
    expect([await events.startsKnownSince(), await events.restarts(ALL)]).toEqual([START, []]);
  });

  test('are restarts once a collector has run, and are grouped by step', async () => {
    using files = new TestStore();
    await recordRun(files.store);
    const { events } = files.store;
    for (const minute of [0, 1, 70]) await events.addStart(START + minute * MINUTE);
    expect(await events.restarts(ALL)).toHaveLength(3);
    expect(await events.restarts({ ...ALL, stepMs: HOUR })).toEqual([
      group(START, 2, START + MINUTE),
      group(START + 70 * MINUTE),
    ]);
    expect(await events.restarts({ ...ALL, to: START })).toEqual([]);
  });

  test('are limited to the newest 1,000, since which they are known', async () => {
    using files = new TestStore();
    const { events } = files.store;
    for (let second = 0; second < 1_010; second += 1) await events.addStart(START + second);
    expect(await events.startsKnownSince()).toBe(START + 10);
  });
});

test('changes of the inventory are grouped by step, however many slices are read', async () => {
  using files = new TestStore();
  const { inventory, events } = files.store;
  const listAt = (at: number) =>
    inventory.saveListing('main', {
      changed: [{ ...PROXY, address: `192.0.2.${(at / 30_000) % 250}` }],
      ...{ seenIds: new Set(['p']), startedAt: at, now: at, isComplete: true },
    });
  for (let half = 0; half < 121; half += 1) await listAt(START + half * 30_000);
  const range = { from: START + MINUTE, to: START + HOUR, stepMs: MINUTE };
  const expected = Array.from({ length: 59 }, (_, index) => {
    const at = START + (index + 1) * MINUTE;
    return { change: 'address', ...group(at, 2, at + 30_000), reason: null };
  });
  for (const proxies of [{}, { proxyId: 'p' }, { serviceId: 's', productType: 'isp' }])
    expect(await events.inventoryChanges('main', range, proxies)).toEqual(expected);
  for (const proxies of [{ proxyId: 'q' }, { serviceId: 't' }, { productType: 'mobile' }])
    expect(await events.inventoryChanges('main', range, proxies)).toEqual([]);
});

test('changes of the inventory are known since the oldest that is stored if their number reached its limit', async () => {
  using files = new TestStore();
  const { inventory, events } = files.store;
  const list = (id: string, at: number) =>
    inventory.saveListing('main', {
      ...{ changed: [{ ...PROXY, id }], seenIds: new Set(['p', id]) },
      ...{ startedAt: at, now: at, isComplete: true },
    });
  await list('p', START);
  const sql = new SQLite(files.path);
  sql.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 99999)
    INSERT INTO inventory_change (account_id, at, change, proxy_id) SELECT 1, ${START} + i, 'gone', 'q' FROM n`);
  sql.close();
  expect(await events.inventoryKeptSince('main')).toBe(0);
  for (const [hour, since] of [
    [1, START + 1],
    [2, START + 2],
  ] as const) {
    await list(`p${hour}`, START + hour * HOUR);
    expect(await events.inventoryKeptSince('main')).toBe(since);
  }
  expect(await events.inventoryKeptSince('other')).toBe(0);
});

const identity = {
  ...{ account: 'main', name: '', slice: '{}', requestFormat: '{}', zone: 'UTC', bucketMs: MINUTE },
};

const minutes = (bytes: number): BucketWindow['buckets'] =>
  Array.from({ length: 180 }, (_, index) =>
    bucketAt(START + index * MINUTE, { bytes, requests: 1, failed: 0 }),
  );

/** Opens a graph whose first three hours were read at `readAt`, which is the watermark. */
const readGraph = async ({ traffic }: Store, readAt = START + 6 * HOUR): Promise<number> => {
  const { id } = await traffic.openGraph(identity, 0, START);
  const window = { buckets: minutes(1_000), now: readAt, watermark: readAt, baselinedAt: readAt };
  await traffic.saveWindow(id, window);
  return id;
};

/** Deletes what is older than 90 days. */
const maintain = (store: Store, now: number) =>
  store.maintain({
    ...{ now, retention: { rawMs: 8 * DAY, hourlyMs: 60 * DAY, dailyMs: 90 * DAY } },
    accounts: [{ name: 'main', zone: 'UTC', graphs: [''], areUsersPolled: false }],
    signal: new AbortController().signal,
  });

const READ_AGAIN = START + 2 * DAY;
const SETTLED = { settledUntil: START + 4 * HOUR, now: READ_AGAIN };

describe('traffic that changes late', () => {
  const changed = (from: number, to: number, bytes: number): BucketWindow['buckets'] =>
    minutes(1_000).map((bucket, index) => (index >= from && index < to ? { ...bucket, bytes } : bucket));
  const save = async (files: TestStore, window: Omit<BucketWindow, 'now'>) => {
    const { store } = files;
    await store.traffic.saveWindow(await readGraph(store), { ...SETTLED, ...window });
    return store.events.lateChanges('main', '', ALL);
  };

  test('is one change of the hours in which it is visible', async () => {
    using files = new TestStore();
    const [hour, next] = [START + HOUR, START + 3 * HOUR];
    expect(await save(files, { buckets: changed(70, 140, 2_000) })).toEqual([
      { ...group(hour, 1, next), readAt: READ_AGAIN },
    ]);
    expect(await files.store.events.lateChanges('main', 'other', ALL)).toEqual([]);
  });

  test.each([
    [4, 1],
    [2, 0],
  ])('is visible if failures are many of the requests: of %d in 60', async (failures, found) => {
    using files = new TestStore();
    const buckets = minutes(1_000).map((bucket, index) => ({ ...bucket, failed: index < failures ? 1 : 0 }));
    expect(await save(files, { buckets })).toHaveLength(found);
  });

  test('is in each range that it overlaps, at the latest from the start of the range', async () => {
    using files = new TestStore();
    const [hour, next] = [START + HOUR, START + 3 * HOUR];
    await save(files, { buckets: changed(70, 140, 2_000) });
    const found = (from: number, to: number) =>
      files.store.events.lateChanges('main', '', { from, to, stepMs: MINUTE });
    const [start, end] = [START + 2 * HOUR + 30_000, START + 2.5 * HOUR];
    expect(await found(start, end)).toEqual([{ ...group(start, 1, next), readAt: READ_AGAIN }]);
    expect(await found(next - 1, next)).toHaveLength(1);
    expect([...(await found(START, hour)), ...(await found(next, next + DAY))]).toEqual([]);
  });

  test.each([
    ['changes by less than 5% of an hour', { buckets: changed(0, 2, 2_000) }],
    ['has not settled when it was last read', { buckets: changed(0, 60, 2_000), settledUntil: START }],
    [
      'changes in a window that does not say what had settled',
      { buckets: changed(0, 60, 2_000), settledUntil: 0 },
    ],
    ['does not change', { buckets: minutes(1_000) }],
  ])('is not stored if it %s', async (_, window) => {
    using files = new TestStore();
    expect(await save(files, window)).toEqual([]);
  });

  test('is not stored if it was not read before', async () => {
    using files = new TestStore();
    const { store } = files;
    const { id } = await store.traffic.openGraph(identity, 0, START);
    const at = START + 6 * HOUR;
    const skippedRange = { from: START, to: START + 4 * HOUR };
    await store.traffic.saveWindow(id, {
      buckets: [],
      now: at,
      watermark: at,
      baselinedAt: at,
      skippedRange,
    });
    await store.traffic.saveWindow(id, { ...SETTLED, buckets: minutes(1_000), readRange: skippedRange });
    expect(await store.events.lateChanges('main', '', ALL)).toEqual([]);
  });

  test('is forgotten after the retention', async () => {
    using files = new TestStore();
    await save(files, { buckets: changed(0, 60, 2_000) });
    const { store } = files;
    await maintain(store, START + 89 * DAY);
    expect(await store.events.lateChanges('main', '', ALL)).toHaveLength(1);
    await maintain(store, START + 91 * DAY);
    expect(await store.events.lateChanges('main', '', ALL)).toEqual([]);
  });

  test('is forgotten when the graph gets another definition', async () => {
    using files = new TestStore();
    await save(files, { buckets: changed(0, 60, 2_000) });
    await files.store.traffic.openGraph({ ...identity, slice: '{"product_type":"isp"}' }, 0, READ_AGAIN);
    expect(await files.store.events.lateChanges('main', '', ALL)).toEqual([]);
  });
});

describe.each(METERED_TYPES)('a day of the %s ledger', (type) => {
  const row = (usedBytes: number, periodEnd: number | null = START): LedgerRow => ({
    ...{ id: 'a', reason: 'usage', serviceId: null, periodDate: '2026-02-28', periodEnd },
    ...{ bytes: -usedBytes, addedBytes: 0, usedBytes, requests: 1 },
    ...{ adjustmentId: null, createdAt: null, updatedAt: null },
  });
  const correctedAt = async (files: TestStore, second: LedgerRow, readAt: number) => {
    const ledger = files.store.ledgers[type];
    await ledger.savePage('main', [row(1_000)], readAt);
    await ledger.completeListing('main', ['usage'], readAt, readAt);
    await ledger.savePage('main', [second], readAt + DAY);
    return (await ledger.days('main', '2026-01-01', '2026-12-31')).map((day) => day.correctedAt);
  };

  test.each([
    ['a row changes by 5% after it had settled', row(1_060), 3 * HOUR, START + 3 * HOUR + DAY],
    ['a row changes less', row(1_040), 3 * HOUR, null],
    ['a row had not settled when it was last read', row(2_000), 2 * HOUR, null],
    ['a row has no date', row(2_000, null), 3 * HOUR, null],
  ])('says when it was corrected: %s', async (_, second, readAfter, expected) => {
    using files = new TestStore();
    expect(await correctedAt(files, second, START + readAfter)).toEqual([expected]);
  });

  test('is corrected by new rows only if they are many of its bytes', async () => {
    using files = new TestStore();
    const correctedBy = async (usedBytes: number) => {
      const late = { ...row(usedBytes), id: `late-${usedBytes}` };
      return await correctedAt(files, late, START + 3 * HOUR);
    };
    expect(await correctedBy(10)).toEqual([null]);
    expect(await correctedBy(100)).toEqual([START + 3 * HOUR + DAY]);
  });

  test('is corrected by a change of its use also if much more was added on it', async () => {
    using files = new TestStore();
    const added = { ...row(0), id: 'top-up', bytes: 1e6, addedBytes: 1e6 };
    await files.store.ledgers[type].savePage('main', [added], START + 3 * HOUR);
    const days = await correctedAt(files, row(1_060), START + 3 * HOUR);
    expect(days).toEqual([START + 3 * HOUR + DAY]);
  });

  test('is corrected if one of its rows moves to another date, which is corrected too if it is over', async () => {
    for (const [days, isOver] of [
      [-7, true],
      [7, false],
    ] as const) {
      using files = new TestStore();
      const periodDate = new Date(Date.parse('2026-02-28') + days * DAY).toISOString().slice(0, 10);
      const moved = { ...row(1_000, START + days * DAY), periodDate };
      await files.store.ledgers[type].savePage('main', [{ ...row(500), id: 'stays' }], START + 3 * HOUR);
      const found = await correctedAt(files, moved, START + 3 * HOUR);
      const readAt = START + 3 * HOUR + DAY;
      expect(found).toEqual(isOver ? [readAt, readAt] : [readAt, null]);
    }
  });

  test('says when it was corrected as long as it is stored itself', async () => {
    using files = new TestStore();
    const expected = await correctedAt(files, row(2_000), START + 3 * HOUR);
    await maintain(files.store, START + 91 * DAY);
    const days = await files.store.ledgers[type].days('main', '2026-01-01', '2026-12-31');
    expect(days.map((day) => day.correctedAt)).toEqual(expected);
  });
});
