// Tests the correction of stored times after the clock was far ahead: nothing waits for the wrong time.

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { forecastExhaustion } from '../../src/lib/forecast.ts';
import { METERED_TYPES } from '../../src/lib/product-types.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { shownCounter } from '../../src/store/counter.ts';
import { TESTED_PROXIES } from '../../src/store/source-proxy-store.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { bucketAt, HOLD_MS, historyOf, makeFolder, observationOf, START, TestStore } from './support.ts';

const AHEAD = START + 30 * DAY;
const identity = {
  account: 'main',
  name: '',
  slice: '{}',
  requestFormat: 'UTC',
  zone: 'UTC',
  bucketMs: MINUTE,
};

const user = (id: string, usedBytes: number) =>
  observationOf(id, { residential: { limitBytes: 1e6, usedBytes } });

describe('traffic', () => {
  const bytesOf = async ({ store }: TestStore): Promise<number> => {
    const [graph] = await store.traffic.graphs('main');
    if (!graph) throw new Error('no graph');
    return shownCounter((await store.traffic.counters(graph.id)).bytes, graph.readAt).value;
  };
  const read = async ({ store }: TestStore, at: number, bytes: number, now: number, isBaseline = false) => {
    const [graph] = await store.traffic.graphs('main');
    const buckets = [bucketAt(at, { bytes })];
    const baseline = isBaseline ? { baselinedAt: now } : {};
    await store.traffic.saveWindow(graph?.id ?? 0, { buckets, watermark: now, now, ...baseline });
  };

  it('of a graph that was opened meanwhile is read again and counts', async () => {
    using test = new TestStore();
    await test.store.traffic.openGraph(identity, AHEAD - DAY, AHEAD);
    await read(test, AHEAD - HOUR, 0, AHEAD, true);
    expect(await test.store.correctFutureTimes(START, 'main')).toBe(true);
    const [graph] = await test.store.traffic.graphs('main');
    expect(graph).toMatchObject({ baselinedAt: null, watermark: null, readAt: START });
    expect(graph?.floor).toBeLessThan(START);
    await read(test, START - MINUTE, 10, START, true);
    await read(test, START, 7, START + MINUTE);
    await read(test, START, 9, START + HOLD_MS);
    expect(await bytesOf(test)).toBe(9);
  });

  it('that was read meanwhile is read on from the current time, and its counters do not fall', async () => {
    using test = new TestStore();
    await test.store.traffic.openGraph(identity, START - 9 * DAY, START - 8 * DAY);
    await read(test, START - 8 * DAY, 10, START - 8 * DAY, true);
    await read(test, START - DAY, 70, START - DAY);
    await read(test, AHEAD - MINUTE, 1, AHEAD);
    const before = await bytesOf(test);
    expect(before).toBe(71);
    await test.store.correctFutureTimes(START, 'main');
    expect(await bytesOf(test)).toBe(before);
    const [graph] = await test.store.traffic.graphs('main');
    expect(graph).toMatchObject({ watermark: START, readAt: START, baselinedAt: START - 8 * DAY });
    await read(test, START, 4, START + MINUTE);
    expect(await bytesOf(test)).toBe(before + 4);
    expect((await test.store.traffic.graphs('main'))[0]?.readAt).toBe(START + MINUTE);
  });

  it('before the history of a graph does not count when the clock was far behind', async () => {
    using test = new TestStore();
    const behind = START - 300 * DAY;
    await test.store.traffic.openGraph(identity, START - HOUR, START);
    await read(test, START - MINUTE, 10, START, true);
    await test.store.correctFutureTimes(behind, 'main');
    expect(await test.store.correctFutureTimes(behind, 'main')).toBe(false);
    await read(test, behind - MINUTE, 0, behind, true);
    await read(test, START - 2 * HOUR, 500, START + MINUTE);
    await read(test, START - 3 * HOUR, 500, START + HOLD_MS);
    expect(await bytesOf(test)).toBe(0);
    await read(test, START - MINUTE, 14, START + HOLD_MS);
    expect(await bytesOf(test)).toBe(4);
  });

  it('that was rolled up meanwhile continues, although the provider lists zeros for future minutes', async () => {
    using test = new TestStore();
    const { store } = test;
    const graph = await store.traffic.openGraph(identity, START - DAY, START);
    await read(test, START - HOUR, 10, START, true);
    await read(test, START + MINUTE, 5, START + 2 * MINUTE);
    await read(test, AHEAD - 10 * DAY, 0, AHEAD);
    await read(test, AHEAD - MINUTE, 0, AHEAD);
    const retention = { rawMs: 8 * DAY, hourlyMs: 60 * DAY, dailyMs: 400 * DAY };
    const accounts = [{ name: 'main', zone: 'UTC', graphs: [''], areUsersPolled: false }];
    const maintain = (now: number) =>
      store.maintain({ now, retention, accounts, signal: new AbortController().signal });
    await maintain(AHEAD);
    const now = START + 3 * HOUR;
    await store.correctFutureTimes(now, 'main');
    await read(test, START + MINUTE, 5, now, true);
    await read(test, now, 7, now + MINUTE);
    await read(test, now, 9, now + HOLD_MS);
    expect(await bytesOf(test)).toBe(5 + 9);
    const sum = async () =>
      (await historyOf(store, graph.id)).reduce((all, { bytes }) => all + (bytes ?? 0), 0);
    expect(await sum()).toBe(10 + 5 + 9);
    await read(test, now + 10 * DAY, 1, now + 10 * DAY);
    await maintain(now + 10 * DAY);
    expect(await sum()).toBe(10 + 5 + 9 + 1);
  });
});

describe('proxy users', () => {
  const usageOf = async ({ store }: TestStore, id: string) => {
    const found = (await store.users.page('main', '', 9)).find((each) => each.id === id);
    const { storedAt } = await store.users.listing('main');
    return found && shownCounter(found.quotas.residential.usage, storedAt).value;
  };
  const poll = async ({ store }: TestStore, users: ReturnType<typeof user>[], now: number) => {
    await store.users.savePage('main', users, now);
    await store.users.completeListing('main', new Set(users.map(({ id }) => id)), now, now);
  };

  it('keep their counters and forecasts, and running holds are no longer than usual', async () => {
    using test = new TestStore();
    await poll(test, [user('old', 0)], START);
    await poll(test, [user('old', 50), user('young', 20)], AHEAD);
    await poll(test, [user('old', 60), user('young', 30)], AHEAD + HOLD_MS);
    await poll(test, [user('old', 60), user('young', 30), user('newest', 5)], AHEAD + HOLD_MS);
    expect([await usageOf(test, 'old'), await usageOf(test, 'young')]).toEqual([60, 30]);

    const back = START + HOUR;
    expect(await test.store.correctFutureTimes(back, 'main')).toBe(true);
    expect(await test.store.correctFutureTimes(back, 'main')).toBe(false);
    expect(await test.store.users.listing('main')).toMatchObject({ completeAt: back, storedAt: back });
    expect([await usageOf(test, 'old'), await usageOf(test, 'young')]).toEqual([60, 30]);
    expect(await usageOf(test, 'newest')).toBe(0);
    await poll(test, [user('old', 60), user('young', 30), user('newest', 5)], back + HOLD_MS);
    expect(await usageOf(test, 'newest')).toBe(5);

    for (let hour = 1; hour <= 30; hour += 1)
      await poll(test, [user('old', 60 + 1_000 * hour)], back + hour * HOUR);
    const [old] = (await test.store.users.page('main', '', 9)).filter(({ id }) => id === 'old');
    const now = back + 30 * HOUR;
    if (!old) throw new Error('no such user');
    expect(forecastExhaustion(old.quotas.residential.rates, 1e6, now)).toBeLessThan(now + 60 * DAY);
  });
});

it.each(METERED_TYPES)('the counters of the %s ledger do not fall', async (type) => {
  using test = new TestStore();
  const ledger = test.store.ledgers[type];
  const usedOf = async () => {
    const { listing, reasons } = await ledger.summary('main');
    return reasons.map(({ counters }) => shownCounter(counters.usedBytes, listing.storedAt).value);
  };
  const row = (usedBytes: number) => ({
    ...{ id: 'a', reason: 'usage', serviceId: null, periodDate: '2026-03-01', periodEnd: START },
    ...{ bytes: -usedBytes, addedBytes: 0, usedBytes, requests: 0 },
    ...{ adjustmentId: null, createdAt: null, updatedAt: null },
  });
  await ledger.savePage('main', [row(5)], AHEAD);
  await ledger.completeListing('main', ['usage'], AHEAD, AHEAD);
  await ledger.savePage('main', [row(25)], AHEAD + HOLD_MS);
  expect(await usedOf()).toEqual([20]);
  await test.store.correctFutureTimes(START, 'main');
  expect(await usedOf()).toEqual([20]);
  await ledger.savePage('main', [row(26)], START + MINUTE);
  expect(await usedOf()).toEqual([21]);
});

it('the last success of a run and spent test runs get the current time', async () => {
  using test = new TestStore();
  const run = {
    account: 'main',
    collector: 'traffic',
    errorKind: null,
    errorMessage: null,
    skippedItems: 0,
    failingParts: 0,
    intervalMs: MINUTE,
  };
  const times = { startedAt: AHEAD, finishedAt: AHEAD };
  await test.store.runs.record({ ...run, ...times, result: 'ok', isSuccess: true });
  await test.store.tests.spend('main', 7, AHEAD);
  await test.store.tests.spend('main', 3, START);
  await test.store.correctFutureTimes(START, 'main');
  const [state] = await test.store.runs.states('main');
  expect(state).toMatchObject({
    startedAt: START,
    finishedAt: START,
    lastSuccessAt: START,
    watchedSince: START,
  });
  const spent = await test.store.tests.spent('main', START - DAY);
  expect(spent.reduce((sum, { runs }) => sum + runs, 0)).toBe(10);
  expect(Math.max(...spent.map(({ at }) => at))).toBeLessThanOrEqual(START);
});

it('a clock that is set back by less than a minute changes nothing', async () => {
  using test = new TestStore();
  await test.store.users.completeListing('main', new Set(), START, START);
  expect(await test.store.correctFutureTimes(START - MINUTE, 'main')).toBe(false);
  expect(await test.store.users.listing('main')).toMatchObject({ completeAt: START });
});

it('future times are looked for in what the account stored, and corrected for all accounts', async () => {
  using test = new TestStore();
  const { users } = test.store;
  const list = (account: string, at: number) => users.completeListing(account, new Set(), at, at);
  await list('behind', START);
  await list('ahead', AHEAD);
  await list('also ahead', AHEAD);
  expect(await test.store.correctFutureTimes(START, 'behind')).toBe(false);
  expect(await test.store.correctFutureTimes(START, 'unknown')).toBe(false);
  expect(await test.store.correctFutureTimes(START, 'ahead')).toBe(true);
  for (const account of ['ahead', 'also ahead'])
    expect(await users.listing(account)).toMatchObject({ completeAt: START });
});

describe('proxy tests', () => {
  it('keep their price, and proxies have no future times', async () => {
    using test = new TestStore();
    const { tests, sourceProxies } = test.store;
    const facts = {
      name: '',
      providerId: null,
      productType: '',
      protocol: 'http',
      host: 'a',
      port: 1,
      username: '',
    };
    const call = (runs: number, now: number) =>
      tests.saveBatch('main', { results: [], proxies: [], now, runs, priceKey: 'two urls' });
    await call(2, START);
    await call(5, AHEAD);
    await sourceProxies.save('main', TESTED_PROXIES, [{ id: 'fr-1', facts: null, ...facts }], [], AHEAD);
    expect(await test.store.correctFutureTimes(START + MINUTE, 'main')).toBe(true);
    expect(await tests.priceOf('main', 'two urls')).toBe(5);
    expect(await sourceProxies.since('main', TESTED_PROXIES)).toEqual(new Map([['fr-1', START + MINUTE]]));
    // The future price becomes the price of today, and is dropped after three days like any other.
    for (const day of [1, 2, 3]) await call(1, START + day * DAY);
    expect(await tests.priceOf('main', 'two urls')).toBe(1);
  });

  it('have no missing period in the future after an older file was put back', async () => {
    const path = join(makeFolder(), 'store.db');
    const openAt = (now: number): Store =>
      openSqliteStore({ path, firstStepHoldMs: HOLD_MS, clock: { now: () => now } });
    {
      using store = openAt(START);
      await store.tests.spend('main', 1, START);
      await store.tests.saveBatch('main', { results: [], proxies: [], now: START });
    }
    copyFileSync(path, `${path}.older`);
    openAt(START)[Symbol.dispose]();
    copyFileSync(`${path}.older`, path);
    using store = openAt(AHEAD);
    expect(store.epoch.isNew).toBe(true);
    expect(await store.tests.missingPeriods('main')).toEqual([{ from: START, to: AHEAD }]);
    await store.tests.saveBatch('main', { results: [], proxies: [], now: AHEAD });
    await store.correctFutureTimes(START + HOUR, 'main');
    expect(await store.tests.missingPeriods('main')).toEqual([{ from: START, to: START + HOUR }]);
  });
});
