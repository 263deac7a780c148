// Tests that long computations pause, and give the same results in turns as at once.

import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { flatMapInSteps, runAtOnce, runInTurns } from '../../src/lib/steps.ts';

const NUMBERS = Array.from({ length: 1_001 }, (_, index) => index);
const evenTwice = (each: number): number[] => (each % 2 === 0 ? [each, each] : []);

it('gives the results of flatMap, at once and in turns', async () => {
  expect(runAtOnce(flatMapInSteps(NUMBERS, evenTwice))).toEqual(NUMBERS.flatMap(evenTwice));
  expect(await runInTurns(flatMapInSteps(NUMBERS, evenTwice))).toEqual(NUMBERS.flatMap(evenTwice));
});

it('lets other work run after some hundred items', async () => {
  const seen: number[] = [];
  const running = runInTurns(flatMapInSteps(NUMBERS, (each) => [seen.push(each)]));
  const counts: number[] = [];
  while (seen.length < NUMBERS.length) {
    counts.push(seen.length);
    await setImmediate();
  }
  await running;
  expect(counts.length).toBeGreaterThan(3);
});

it('passes an error on', async () => {
  const fail = (): never => {
    throw new Error('no');
  };
  await expect(runInTurns(flatMapInSteps(NUMBERS, fail))).rejects.toThrow('no');
});
