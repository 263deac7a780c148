// Tests that probes on request share results for 30 seconds, and that only a limited number runs at a time.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CacheAnswer, ProbeCache, RESULT_AGE_MS } from '../../src/daemon/probe-cache.ts';
import { FakeClock } from '../support/fake-clock.ts';

const cacheOf = (clock: FakeClock): ProbeCache<string> =>
  new ProbeCache<string>({
    clock,
    isKept: (result) => result !== 'a mistake',
    isTimeout: (result) => result.startsWith('timeout'),
  });

const wanting = (key: string, parallel = 5, limitMs = 15_000) => ({ key, parallel, limitMs });

/** A probe whose end the test decides. */
const startedProbe = () => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let starts = 0;
  const probe = (): Promise<string> => {
    starts += 1;
    return promise;
  };
  return { probe, resolve, reject, starts: () => starts };
};

test('requests during a probe, and for 30 seconds after it, share its result', async () => {
  const clock = new FakeClock(0);
  const cache = cacheOf(clock);
  const { probe, resolve, starts } = startedProbe();
  const [first, second] = [cache.get(wanting('a'), probe), cache.get(wanting('a'), probe)];
  resolve('good');
  expect(await first).toEqual({ result: 'good', ageMs: 0 });
  expect(await second).toEqual({ result: 'good', ageMs: 0 });
  clock.advance(RESULT_AGE_MS - 1);
  expect(await cache.get(wanting('a'), probe)).toEqual({ result: 'good', ageMs: RESULT_AGE_MS - 1 });
  expect(starts()).toBe(1);
  clock.advance(1);
  expect(await cache.get(wanting('a'), probe)).toEqual({ result: 'good', ageMs: 0 });
  expect(starts()).toBe(2);
});

test('the age begins at the end of the probe, because a probe may take long', async () => {
  const clock = new FakeClock(0);
  const cache = cacheOf(clock);
  const { probe, resolve } = startedProbe();
  const first = cache.get(wanting('a'), probe);
  clock.advance(2 * RESULT_AGE_MS);
  resolve('slow');
  await first;
  expect(await cache.get(wanting('a'), probe)).toEqual({ result: 'slow', ageMs: 0 });
});

test('no more than the limit run at a time, and results of others still answer', async () => {
  const cache = cacheOf(new FakeClock(0));
  const [done, running] = [startedProbe(), startedProbe()];
  done.resolve('done');
  await cache.get(wanting('done', 1), done.probe);
  const first = cache.get(wanting('running', 1), running.probe);
  expect(await cache.get(wanting('other', 1), running.probe)).toBe('busy');
  expect(await cache.get(wanting('done', 1), done.probe)).toMatchObject({ result: 'done' });
  running.resolve('ended');
  await first;
  expect(await cache.get(wanting('other', 1), running.probe)).toMatchObject({ result: 'ended' });
});

test('a probe that could not be made is not kept', async () => {
  const cache = cacheOf(new FakeClock(0));
  const [failing, working] = [startedProbe(), startedProbe()];
  failing.reject(new Error('the store fails'));
  working.resolve('good');
  await expect(cache.get(wanting('a', 1), failing.probe)).rejects.toThrow('the store fails');
  expect(await cache.get(wanting('a', 1), working.probe)).toMatchObject({ result: 'good' });
});

test('an answer that is no result is not kept', async () => {
  const cache = cacheOf(new FakeClock(0));
  const [mistaken, working] = [startedProbe(), startedProbe()];
  mistaken.resolve('a mistake');
  working.resolve('good');
  expect(await cache.get(wanting('a', 1), mistaken.probe)).toMatchObject({ result: 'a mistake' });
  expect(await cache.get(wanting('a', 1), working.probe)).toMatchObject({ result: 'good' });
});

/** Ends at its limit, as a probe of a proxy that does not answer. The clock moves only when the test moves it. */
const silentProxy = (clock: FakeClock, limits: number[]) => async (limitMs: number) => {
  limits.push(limitMs);
  await clock.sleep(limitMs);
  return `timeout of ${limitMs}`;
};

/** Lets all promises settle that need no time. */
const settle = () => new Promise(setImmediate);

test('a timeout of a client that waits 1 s does not answer one that waits longer, but one that waits less', async () => {
  const clock = new FakeClock(0);
  const cache = cacheOf(clock);
  const limits: number[] = [];
  const probe = silentProxy(clock, limits);
  const get = async (limitMs: number, takes: number): Promise<CacheAnswer<string>> => {
    const answer = cache.get(wanting('a', 5, limitMs), probe);
    await settle();
    clock.advance(takes);
    return answer;
  };
  await get(1_000, 1_000);
  expect(await get(500, 0)).toMatchObject({ result: 'timeout of 1000' });
  expect(await get(10_000, 10_000)).toMatchObject({ result: 'timeout of 10000' });
  expect(await get(1_000, 0)).toMatchObject({ result: 'timeout of 10000' });
  expect(limits).toEqual([1_000, 10_000]);
});

test('a client that joins a probe of a client that waits less makes one of its own in its remaining time', async () => {
  const clock = new FakeClock(0);
  const cache = cacheOf(clock);
  const limits: number[] = [];
  const probe = silentProxy(clock, limits);
  const short = cache.get(wanting('a', 5, 1_000), probe);
  clock.advance(400);
  const long = cache.get(wanting('a', 5, 10_000), probe);
  clock.advance(600);
  expect(await short).toEqual({ result: 'timeout of 1000', ageMs: 0 });
  await settle();
  expect(limits).toEqual([1_000, 9_400]);
  clock.advance(9_400);
  expect(await long).toEqual({ result: 'timeout of 9400', ageMs: 0 });
});

test('a client that joins a probe waits no longer than its own limit, and the probe goes on', async () => {
  const clock = new FakeClock(0);
  const cache = cacheOf(clock);
  const { probe, resolve, starts } = startedProbe();
  const patient = cache.get(wanting('a'), probe);
  const hasty = cache.get(wanting('a', 5, 1_000), probe);
  clock.advance(1_000);
  expect(await hasty).toBe('late');
  resolve('good');
  expect(await patient).toEqual({ result: 'good', ageMs: 0 });
  expect(await cache.get(wanting('a', 5, 1_000), probe)).toEqual({ result: 'good', ageMs: 0 });
  expect(starts()).toBe(1);
  expect(clock.sleepers).toBe(0);
});

test('no client waits longer than its limit or gets a timeout shorter than its remaining time, whenever they come', async () => {
  const client = fc.record({ after: fc.nat(3_000), limitMs: fc.integer({ min: 1, max: 5_000 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(client, { minLength: 1, maxLength: 5 }), async (clients) => {
      const clock = new FakeClock(0);
      const cache = cacheOf(clock);
      const ends: Promise<void>[] = [];
      for (const { after, limitMs } of clients) {
        for (let left = after; left > 0; ) {
          const step = Math.min(clock.nextWakeMs, left);
          clock.advance(step);
          left -= step;
          await settle();
        }
        const beganAt = clock.monotonic();
        const answer = cache.get(wanting('a', 5, limitMs), silentProxy(clock, []));
        ends.push(
          answer.then((result) => {
            const waited = clock.monotonic() - beganAt;
            expect(waited).toBeLessThanOrEqual(limitMs);
            if (typeof result === 'string') return expect(waited).toBe(limitMs);
            const probed = Number(result.result.split(' ').at(-1));
            expect(probed).toBeGreaterThanOrEqual(limitMs - waited);
          }),
        );
        await settle();
      }
      while (clock.sleepers > 0) {
        clock.advance(clock.nextWakeMs);
        await settle();
      }
      await Promise.all(ends);
    }),
    { numRuns: 50 },
  );
});
