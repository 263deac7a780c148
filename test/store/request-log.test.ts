// Tests the store of counted requests: windows count once, names are bounded, unknown parts stay unknown, and a crash loses no stored one.

import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import type { RequestCount, SampledSum } from '../../src/store/request-log-store.ts';
import type { Store } from '../../src/store/store.ts';
import { makeFolder, openStore, TestStore } from './support.ts';

const START = Date.parse('2026-07-06T12:00:00Z');

const open = async (): Promise<Store> => {
  const store = openStore(join(makeFolder(), 'store.db'));
  await store.requestLog.open('main', START, START);
  return store;
};

const countOf = (requests: number, errors: number): RequestCount[] => [
  { productType: 'isp', requests, errors: [{ class: 'quota', code: '422', errors }] },
];

const sampleOf = (name: string, errors: number, more: Partial<SampledSum> = {}): SampledSum => ({
  ...{ kind: 'user', name, class: 'quota', errors, errorsVariance: 1, bytes: 10 },
  ...more,
});

const all = { from: 0, to: Number.MAX_SAFE_INTEGER, limit: 1_000 };

it('each window counts once, in whatever order and how often it is stored', async () => {
  const attempt = fc.record({ index: fc.nat({ max: 9 }), isCounted: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(attempt, { maxLength: 40 }), async (attempts) => {
      using store = await open();
      let next = 0;
      let [requests, uncounted] = [0, 0];
      for (const { index, isCounted } of attempts) {
        const from = START + index * MINUTE;
        const counts = isCounted ? countOf(10 + index, index) : null;
        await store.requestLog.save('main', { from, to: from + MINUTE, counts, samples: [] }, from);
        if (index !== next) continue;
        next += 1;
        if (isCounted) requests += 10 + index;
        else uncounted += 60;
      }
      const { counters } = await store.requestLog.counters('main');
      const served = (type: string): number | undefined =>
        counters.find(({ productType, code }) => productType === type && code === '')?.counter.served;
      expect(served('isp') ?? 0).toBe(requests);
      expect(served('')).toBe(uncounted);
      const sums = await store.requestLog.sums('main', { ...all, by: 'class' });
      expect(sums.requests).toBe(requests);
      expect(sums.countedMs + uncounted * 1_000).toBe(next * MINUTE);
    }),
    { numRuns: 30 },
  );
});

it('an hour has the 20 users with the most errors, also if they come late, and loses no errors', async () => {
  using store = await open();
  const save = (index: number, samples: SampledSum[]) => {
    const from = START + index * MINUTE;
    return store.requestLog.save('main', { from, to: from + MINUTE, counts: countOf(99, 50), samples }, from);
  };
  await save(0, [sampleOf('first', 1)]);
  const users = Array.from({ length: 50 }, (_, index) => sampleOf(`user-${index}`, 100 - index));
  await save(1, users);
  await save(2, [sampleOf('user-0', 2), sampleOf('late', 500)]);
  const { sums } = await store.requestLog.sums('main', { ...all, by: 'user' });
  expect(sums.map(({ name }) => name)).toEqual([
    ...[null, 'late'],
    ...Array.from({ length: 19 }, (_, index) => `user-${index}`),
  ]);
  expect(sums.find(({ name }) => name === 'user-0')).toMatchObject({ errors: 102, bytes: 20 });
  expect(sums.reduce((sum, { errors }) => sum + errors, 0)).toBe(1 + 50 * 75.5 + 502);
});

it('sums are exact only if the samples stand for all errors, and a sum with an unknown part is unknown', async () => {
  using store = await open();
  const ofClass = { kind: 'class', name: '' } as const;
  const window = { from: START, to: START + MINUTE, counts: countOf(99, 50) };
  const save = (index: number, samples: SampledSum[]) => {
    const [from, to] = [window.from + index * MINUTE, window.to + index * MINUTE];
    return store.requestLog.save('main', { ...window, from, to, samples }, START);
  };
  const sums = (by: 'class' | 'user') => store.requestLog.sums('main', { ...all, by });
  await save(0, [sampleOf('', 50, ofClass), sampleOf('ann', 50)]);
  expect(await sums('class')).toMatchObject({ bytes: 10, errors: 50, sampledErrors: 50 });
  expect((await sums('user')).sums).toMatchObject([{ name: 'ann', errorsVariance: 1 }]);
  await save(1, []);
  expect(await sums('class')).toMatchObject({ bytes: null, errors: 100, sampledErrors: 50 });
  expect((await sums('user')).sums).toMatchObject([{ name: 'ann', errors: 50, errorsVariance: null }]);
  await save(2, [sampleOf('', 100, { ...ofClass, class: 'other', bytes: null })]);
  expect(await sums('class')).toMatchObject({ bytes: null, sampledErrors: 150 });
});

it('the newest hour has each counted window that ends in it, and stays while older time or nothing is counted', async () => {
  using store = await open();
  const [long, short, next] = [58, 63, 68].map((minutes) => START + minutes * MINUTE) as [
    number,
    number,
    number,
  ];
  const save = (from: number, to: number, counts: RequestCount[] | null, settledTo?: number) =>
    store.requestLog.save('main', { from, to, counts, samples: [] }, to + 9 * HOUR, settledTo);
  const recent = async () => (await store.requestLog.state('main'))?.recent.map(({ from }) => from);
  await save(START, long, countOf(1, 1), long);
  await save(long, short, countOf(1, 1), short);
  await save(short, next, null, next);
  expect(await recent()).toEqual([START, long]);
  await save(next, next + HOUR, []);
  expect(await recent()).toEqual([START, long]);
  await save(next + HOUR, next + 2 * HOUR, [], next + 2 * HOUR);
  expect(await recent()).toEqual([next + HOUR]);
});

it('a crash loses no stored window, and the next one continues', async () => {
  using test = new TestStore();
  await test.store.requestLog.open('main', START, START);
  for (let index = 0; index < 5; index += 1) {
    const from = START + index * MINUTE;
    await test.store.requestLog.save(
      'main',
      { from, to: from + MINUTE, counts: countOf(10, 3), samples: [] },
      from,
    );
    test.crash();
    expect((await test.store.requestLog.state('main'))?.countedTo).toBe(from + MINUTE);
    expect(await test.store.requestLog.sums('main', { ...all, by: 'code' })).toMatchObject({
      requests: 10 * (index + 1),
      errors: 3 * (index + 1),
    });
  }
});
