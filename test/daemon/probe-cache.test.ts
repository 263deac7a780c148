// Tests that probes on request share results for 30 seconds, and that only a limited number runs at a time.

import { expect, test } from 'vitest';
import { ProbeCache, RESULT_AGE_MS } from '../../src/daemon/probe-cache.ts';
import { FakeClock } from '../support/fake-clock.ts';

const isKept = (result: string): boolean => result !== 'a mistake';

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
  const cache = new ProbeCache<string>(clock, isKept);
  const { probe, resolve, starts } = startedProbe();
  const [first, second] = [cache.get('a', 5, probe), cache.get('a', 5, probe)];
  resolve('good');
  expect(await first).toEqual({ result: 'good', ageMs: 0 });
  expect(await second).toEqual({ result: 'good', ageMs: 0 });
  clock.advance(RESULT_AGE_MS - 1);
  expect(await cache.get('a', 5, probe)).toEqual({ result: 'good', ageMs: RESULT_AGE_MS - 1 });
  expect(starts()).toBe(1);
  clock.advance(1);
  expect(await cache.get('a', 5, probe)).toEqual({ result: 'good', ageMs: 0 });
  expect(starts()).toBe(2);
});

test('the age begins at the end of the probe, because a probe may take long', async () => {
  const clock = new FakeClock(0);
  const cache = new ProbeCache<string>(clock, isKept);
  const { probe, resolve } = startedProbe();
  const first = cache.get('a', 5, probe);
  clock.advance(2 * RESULT_AGE_MS);
  resolve('slow');
  await first;
  expect(await cache.get('a', 5, probe)).toEqual({ result: 'slow', ageMs: 0 });
});

test('no more than the limit run at a time, and results of others still answer', async () => {
  const cache = new ProbeCache<string>(new FakeClock(0), isKept);
  const [done, running] = [startedProbe(), startedProbe()];
  done.resolve('done');
  await cache.get('done', 1, done.probe);
  const first = cache.get('running', 1, running.probe);
  expect(await cache.get('other', 1, running.probe)).toBeUndefined();
  expect(await cache.get('done', 1, done.probe)).toMatchObject({ result: 'done' });
  running.resolve('ended');
  await first;
  expect(await cache.get('other', 1, running.probe)).toMatchObject({ result: 'ended' });
});

test('a probe that could not be made is not kept', async () => {
  const cache = new ProbeCache<string>(new FakeClock(0), isKept);
  const [failing, working] = [startedProbe(), startedProbe()];
  failing.reject(new Error('the store fails'));
  working.resolve('good');
  await expect(cache.get('a', 1, failing.probe)).rejects.toThrow('the store fails');
  expect(await cache.get('a', 1, working.probe)).toMatchObject({ result: 'good' });
});

test('an answer that is no result is not kept', async () => {
  const cache = new ProbeCache<string>(new FakeClock(0), isKept);
  const [mistaken, working] = [startedProbe(), startedProbe()];
  mistaken.resolve('a mistake');
  working.resolve('good');
  expect(await cache.get('a', 1, mistaken.probe)).toMatchObject({ result: 'a mistake' });
  expect(await cache.get('a', 1, working.probe)).toMatchObject({ result: 'good' });
});
