// Tests the store of proxy tests.

import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { shownCounter } from '../../src/store/counter.ts';
import { HOLD_MS, START, TestStore } from './support.ts';
import { failure, result, save } from './test-results.ts';

const cellOf = async (test: TestStore) => (await test.store.tests.cells('main', ['fr-1']))[0];

it('a batch is stored whole or not at all, and names that it introduced keep their ids', async () => {
  using test = new TestStore();
  await save(test, [result()]);
  const before = await test.store.tests.cells('main', ['fr-1']);
  const broken = { ...result(), responseTimeMs: 'slow' as unknown as number };
  await expect(save(test, [failure(), failure({ proxy: 'fr-2' }), broken])).rejects.toThrow(
    'SQLite reported an unexpected error',
  );
  expect(await test.store.tests.cells('main', ['fr-1', 'fr-2'])).toEqual(before);
  expect(await test.store.tests.recentFailures('main', 9)).toEqual([]);
  await save(test, [failure({ proxy: 'fr-3' }), failure({ proxy: 'fr-2' })]);
  const failures = await test.store.tests.failures('main');
  expect(failures.map(({ proxy, count }) => [proxy, count])).toEqual([
    ['fr-2', 1],
    ['fr-3', 1],
  ]);
});

describe('a proxy', () => {
  it('counts the rounds in a row in which some test of it failed', async () => {
    using test = new TestStore();
    const rounds = [[result(), failure({ url: 'b' })], [failure()], [result()], [failure()]];
    const failing = [];
    for (const [index, results] of rounds.entries()) {
      await save(test, results, START + index);
      const [proxy] = await test.store.tests.proxies('main');
      failing.push([proxy?.failingRounds, (proxy?.lastTestedAt ?? 0) - START]);
    }
    expect(failing).toEqual([
      [1, 0],
      [2, 1],
      [0, 2],
      [1, 3],
    ]);
  });

  it('that brought no result still counts as tested', async () => {
    using test = new TestStore();
    await test.store.tests.saveBatch('main', { results: [], proxies: ['fr-9'], now: START });
    expect(await test.store.tests.proxies('main')).toEqual([
      { proxy: 'fr-9', lastTestedAt: START, failingRounds: 0 },
    ]);
  });

  it('belongs only to its account', async () => {
    using test = new TestStore();
    await save(test, [failure()]);
    const { tests } = test.store;
    expect(await tests.proxies('another')).toEqual([]);
    expect(await tests.cells('another', ['fr-1'])).toEqual([]);
    expect(await tests.recentFailures('another', 9)).toEqual([]);
    expect((await tests.uptime('another', { proxy: 'fr-1' }, 0, START + DAY)).results).toBe(0);
  });
});

describe('counters of tests', () => {
  it('are held from the time they appear', async () => {
    using test = new TestStore();
    await save(test, [result()], START);
    await save(test, [result(), failure({ url: 'new' })], START + 9);
    const cells = await test.store.tests.cells('main', ['fr-1']);
    expect(cells.map(({ url, heldUntil }) => [url, heldUntil - START - HOLD_MS])).toEqual([
      ['new', 9],
      ['shop', 0],
    ]);
  });

  it('are held from the newest stored time when the clock is set back', async () => {
    using test = new TestStore();
    await save(test, [result({ proxy: 'fr-2' })], START);
    await save(test, [result()], START - DAY);
    expect((await cellOf(test))?.heldUntil).toBe(START + HOLD_MS);
    expect(await test.store.tests.storedAt('main')).toBe(START);
  });

  it('distinguish 50 error codes and sum the others; known codes continue to count', async () => {
    using test = new TestStore();
    const codes = Array.from({ length: 60 }, (_, n) => failure({ errorCode: `code-${n}` }));
    await save(test, codes);
    await save(test, [
      failure({ errorCode: 'code-3' }),
      failure({ errorCode: 'code-99' }),
      failure({ errorCode: null }),
    ]);
    const errors = new Map(
      (await test.store.tests.errors('main')).map(({ errorCode, count }) => [errorCode, count]),
    );
    expect(errors.size).toBe(51);
    expect(errors.get('code-3')).toBe(2);
    expect(errors.get('other')).toBe(12);
  });
});

describe('hours', () => {
  it('are whole hours that begin within the range', async () => {
    using test = new TestStore();
    for (const at of [0, 30, 60, 120]) await save(test, [result()], START + at * MINUTE);
    const resultsIn = async (from: number, to: number) =>
      (await test.store.tests.uptime('main', { proxy: 'fr-1' }, START + from * MINUTE, START + to * MINUTE))
        .results;
    expect(await resultsIn(0, 60)).toBe(2);
    expect(await resultsIn(0, 61)).toBe(3);
    expect(await resultsIn(1, 180)).toBe(2);
    expect(await resultsIn(60, 60)).toBe(0);
    expect(await resultsIn(600, 0)).toBe(0);
  });

  it('are each counted once, wherever within a day a range begins and ends', async () => {
    using test = new TestStore();
    const stored = Array.from({ length: 20 }, (_, n) => START + n * 5 * HOUR);
    for (const at of stored) await save(test, [result()], at);
    const bounds = Array.from({ length: 16 }, (_, n) => START + n * 7 * HOUR);
    for (const [from, to] of bounds.flatMap((from) => bounds.map((to) => [from, to] as const))) {
      const { results } = await test.store.tests.uptime('main', { proxy: 'fr-1' }, from, to);
      expect(results).toBe(stored.filter((at) => at >= from && at < to).length);
    }
  });

  it('of a subject that was never tested are empty, not the sums of all', async () => {
    using test = new TestStore();
    await save(test, [result()]);
    for (const subject of [{ proxy: 'no' }, { url: 'no' }, { tester: 'no' }]) {
      const none = { results: 0, successes: 0, sumMs: 0, ownFailures: 0, otherFailures: 0 };
      expect(await test.store.tests.uptime('main', subject, START, START + DAY)).toEqual(none);
    }
  });

  it('are deleted after 31 days, one hour of them each hour', async () => {
    using test = new TestStore();
    for (const hour of [0, 1, 2]) await save(test, [result()], START + hour * HOUR);
    const old = async () =>
      (await test.store.tests.uptime('main', { proxy: 'fr-1' }, START, START + DAY)).results;
    await save(test, [result()], START + 30 * DAY);
    expect(await old()).toBe(3);
    await save(test, [result()], START + 40 * DAY);
    expect(await old()).toBe(2);
    await save(test, [result()], START + 40 * DAY);
    expect(await old()).toBe(2);
    await save(test, [result()], START + 40 * DAY + HOUR);
    expect(await old()).toBe(1);
  });
});

describe('recent failures', () => {
  it('are deleted after a week', async () => {
    using test = new TestStore();
    await save(test, [failure()], START);
    await save(test, [failure()], START + 1);
    await save(test, [result()], START + 7 * DAY + 1);
    expect((await test.store.tests.recentFailures('main', 9)).map(({ at }) => at - START)).toEqual([1]);
  });

  it('are the newest 10,000', async () => {
    using test = new TestStore();
    const many = Array.from({ length: 1_000 }, (_, n) => failure({ errorCode: String(n) }));
    for (let round = 0; round <= 10; round += 1) await save(test, many, START + round);
    const kept = await test.store.tests.recentFailures('main', 20_000);
    expect(kept).toHaveLength(10_000);
    expect(kept.at(-1)).toMatchObject({ at: START + 1, errorCode: '0' });
  });
});

describe('error sources', () => {
  it('that name the proxy or the target are kept for eight rounds, out of an open set of sources', async () => {
    using test = new TestStore();
    const sources = ['proxy', 'TARGET', 'client', null, 'constructor', 'target', 'proxy', 'target', 'proxy'];
    for (const [index, errorSource] of sources.entries()) {
      const results = [{ ...failure({ proxy: 'fr-1' }), errorSource }];
      await test.store.tests.saveBatch('main', { results, proxies: ['fr-1'], now: START + index });
    }
    test.restart();
    const namedSources = async () => (await test.store.tests.cells('main', ['fr-1']))[0]?.sources.toString(4);
    expect(await namedSources()).toBe('20002121');
    await test.store.tests.saveBatch('main', {
      results: [result({ proxy: 'fr-1' })],
      proxies: [],
      now: START + 9,
    });
    expect(await namedSources()).toBe('21210');
  });
});

describe('calls', () => {
  it('are counted from 0 and first held, even if none was answered', async () => {
    using test = new TestStore();
    const { tests } = test.store;
    await tests.open('main', START);
    const fail = (now: number) => tests.saveBatch('main', { call: 'failed', results: [], proxies: [], now });
    await fail(START + HOLD_MS - 1);
    const failed = async () =>
      shownCounter((await tests.calls('main')).failed, await tests.storedAt('main')).value;
    expect(await failed()).toBe(0);
    await fail(START + HOLD_MS);
    expect(await failed()).toBe(2);
    expect((await tests.calls('main')).ok.served).toBe(0);
  });

  it('are spent in slots of ten minutes, which are kept for eight days', async () => {
    using test = new TestStore();
    const { tests } = test.store;
    await tests.spend('main', 1, START + 1);
    await tests.spend('main', 3, START + 9 * MINUTE);
    await tests.spend('main', 1, START + 10 * MINUTE);
    test.crash();
    expect(await test.store.tests.spent('main', START)).toEqual([
      { at: START, runs: 4 },
      { at: START + 10 * MINUTE, runs: 1 },
    ]);
    expect(await test.store.tests.spent('main', START + 1)).toHaveLength(1);
    await test.store.tests.spend('main', 1, START + 8 * DAY + MINUTE);
    expect((await test.store.tests.spent('main', 0)).map(({ at }) => at)).not.toContain(START);
  });

  it('cost as much as the most expensive call of the last three days with calls, for each price key', async () => {
    using test = new TestStore();
    const { tests } = test.store;
    const call = (runs: number, day: number, priceKey = 'two urls', call: 'ok' | 'failed' = 'ok') => {
      const now = START + day * DAY;
      return tests.saveBatch('main', { call, results: [], proxies: [], now, runs, priceKey });
    };
    const price = (priceKey = 'two urls') => tests.priceOf('main', priceKey);
    expect(await price()).toBe(1);
    for (const runs of [2, 5, 3]) await call(runs, 0);
    expect(await price()).toBe(5);
    // Days without an answer give no information about the price.
    for (const day of [1, 2, 3, 4]) await call(1, day, 'two urls', 'failed');
    await call(1, 5);
    await call(4, 6);
    expect(await price()).toBe(5);
    await call(1, 7);
    expect(await price()).toBe(4);
    expect(await price('one url')).toBe(1);
    await call(7, 7, 'one url');
    expect(await price('one url')).toBe(7);
    expect(await price()).toBe(1);
  });
});

it('steps of a day begin at midnight (UTC), and the last step may be incomplete', async () => {
  using test = new TestStore();
  const { tests } = test.store;
  const midnight = START - (START % DAY);
  for (const hours of [0, 23, 24, 25, 47]) {
    const now = midnight + hours * HOUR;
    await tests.saveBatch('main', { results: [result({ proxy: 'fr-1' })], proxies: ['fr-1'], now });
  }
  const days = await tests.uptimeHistory('main', { proxy: 'fr-1' }, midnight, midnight + 47 * HOUR, DAY);
  expect(days.map(({ results }) => results)).toEqual([2, 2]);
});

describe('faults', () => {
  it('have their latest scope', async () => {
    using test = new TestStore();
    const { tests } = test.store;
    const target = { kind: 'target', subject: 'shop', reason: 'half fail' } as const;
    for (const scope of [undefined, { productTypes: ['isp'], isNamed: false }, undefined]) {
      await tests.saveFaults('main', [{ ...target, ...(scope && { scope }) }], START);
      expect(await tests.faults('main')).toEqual([{ ...target, since: START, ...(scope && { scope }) }]);
    }
  });

  it('keep their start until they end, and have their latest reason', async () => {
    using test = new TestStore();
    const { tests } = test.store;
    const [proxy, target] = [
      { kind: 'proxy', subject: 'fr-1', reason: 'all fail' },
      { kind: 'target', subject: 'shop', reason: 'half fail' },
    ] as const;
    await tests.saveFaults('main', [proxy], START);
    await tests.saveFaults('main', [target, { ...proxy, reason: 'some fail' }], START + 1);
    expect(await tests.faults('main')).toEqual([
      { ...proxy, since: START, reason: 'some fail' },
      { ...target, since: START + 1 },
    ]);
    await tests.saveFaults('main', [], START + 2);
    expect(await tests.faults('main')).toEqual([]);
    await tests.saveFaults('main', [proxy], START + 3);
    expect(await tests.faults('main')).toEqual([{ ...proxy, since: START + 3 }]);
    expect(await tests.faults('another')).toEqual([]);
  });
});

describe('observations and places', () => {
  const OBSERVATION = {
    ...{ resultId: 'r1', testerProxyId: null, createdAt: START, updatedAt: START },
    ...{ address: '192.0.2.1', countryId: 'fr', cityId: 202, cityName: 'Paris', asnId: null, asnName: null },
  };
  const PLACE = { cityId: 1, cityName: 'London', countryId: 'gb' };

  it('are kept until newer ones replace them, and are deleted with the proxy and the tester', async () => {
    using test = new TestStore();
    const result = {
      ...{ proxy: 'p', url: 'u', tester: 'london', isSuccessful: true },
      ...{ errorSource: null, errorCode: null, responseTimeMs: 5 },
    };
    const batch = { results: [result], proxies: ['p'], now: START };
    const observed = { observations: new Map([['p', OBSERVATION]]), places: new Map([['london', PLACE]]) };
    await test.store.tests.saveBatch('main', { ...batch, ...observed });
    await test.store.tests.saveBatch('main', { ...batch, results: [], now: START + 1 });
    test.restart();
    const { tests } = test.store;
    expect(await tests.observation('main', 'p')).toEqual(OBSERVATION);
    expect(await tests.testerPlaces('main')).toEqual(new Map([['london', PLACE]]));
    const moved = {
      observations: new Map([['p', { ...OBSERVATION, cityId: null }]]),
      places: new Map([['london', { ...PLACE, cityId: 2 }]]),
    };
    await tests.saveBatch('main', { ...batch, ...moved });
    expect(await tests.observation('main', 'p')).toMatchObject({ cityId: null });
    expect((await tests.testerPlaces('main')).get('london')?.cityId).toBe(2);
    const later = {
      ...batch,
      results: [{ ...result, proxy: 'q', tester: 'paris' }],
      proxies: ['q'],
      now: START + 100 * DAY,
    };
    await tests.saveBatch('main', later);
    await tests.prune('main', { before: START + DAY, kept: new Set() }, 99);
    expect(await tests.observation('main', 'p')).toBeNull();
    expect(await tests.testerPlaces('main')).toEqual(new Map());
  });
});
