// Tests how used bytes are counted over resets, corrections and wrong answers.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DAY, MINUTE } from '../../src/lib/time.ts';
import { type ObservedUsage, observeUsage } from '../../src/store/usage.ts';

const STEP_MS = 5 * MINUTE;

/** Applies these answers, one for each listing. Returns the use that is shown after each, and what was counted. */
const follow = (answers: readonly number[], stepMs = STEP_MS) => {
  let use: ObservedUsage = { used: answers[0] ?? 0, falls: [], growth: 0 };
  let counted = 0;
  const shown: number[] = [];
  answers.slice(1).forEach((given, index) => {
    use = observeUsage(use, given, index * stepMs);
    counted += use.growth;
    shown.push(use.used);
  });
  return { counted, shown, falls: use.falls };
};

it.each([
  ['growth', [100, 150], 50],
  ['a correction subtracts', [100, 60], -40],
  ['a fall to half is a correction', [100, 50], -50],
  ['a fall below half is held', [100, 49], 0],
  ['a fall that two listings confirm is a reset', [100, 49, 49], 49],
  ['all use since a reset counts', [1000, 20, 70, 90], 90],
  ['a reset with use, and another one', [1000, 400, 0, 0, 7], 407],
  ['nothing used', [0, 0], 0],
  ['one zero', [1000, 1100, 0, 1200], 200],
  ['any number of zeros', [1000, 1100, 0, 0, 0, 0, 1200], 200],
  ['a return to the old value itself', [1000, 0, 0, 1000], 0],
  ['a return subtracts what was counted since the fall', [1000, 0, 20, 50, 1030], 30],
  ['a return in two steps is use after a reset', [1000, 0, 0, 600, 1100], 1100],
  ['less than the old value is use after a reset', [1000, 0, 0, 999], 999],
  ['a fall within a fall', [1000, 0, 5, 0, 0, 1200], 200],
  ['a fall within a fall that returns alone', [1000, 0, 400, 0, 0, 410], 410],
])('%s', (_, answers, counted) => {
  expect(follow(answers).counted).toBe(counted);
});

it('shows the old use until another listing confirms a fall', () => {
  expect(follow([1000, 0, 0, 30, 1100]).shown).toEqual([1000, 0, 30, 1100]);
  const held = observeUsage({ used: 1000, falls: [] }, 0, 7);
  const again = observeUsage(held, 0, 7);
  expect([again.used, again.growth]).toEqual([1000, 0]);
  expect(observeUsage(again, 0, 8).used).toBe(0);
});

it('treats a return within a day of the fall as no reset, but not a later one', () => {
  const answers = [1000, 0, 0, 1200];
  expect(follow(answers, DAY / 2).counted).toBe(200);
  expect(follow(answers, DAY / 2 + 1).counted).toBe(1200);
});

it('ignores a fall that was observed while the clock was far ahead', () => {
  const ahead = observeUsage(observeUsage({ used: 1000, falls: [] }, 0, 30 * DAY), 0, 30 * DAY + 1);
  expect(observeUsage(ahead, 1200, 2 * DAY).growth).toBe(1200);
});

it('counts the same with and without wrong zeros between the answers', () => {
  const growing = fc.array(fc.nat(1_000), { minLength: 2, maxLength: 20 }).map((steps) => {
    let use = 0;
    return steps.map((step) => {
      use += step + 1;
      return use;
    });
  });
  const zeros = fc.array(fc.nat(4), { minLength: 20, maxLength: 20 });
  fc.assert(
    fc.property(growing, zeros, (answers, gaps) => {
      const broken = answers.flatMap((answer, index) => [answer, ...Array(gaps[index]).fill(0)]);
      const { counted, falls } = follow([...broken, answers.at(-1) ?? 0]);
      expect(counted).toBe((answers.at(-1) ?? 0) - (answers[0] ?? 0));
      expect(falls).toEqual([]);
    }),
  );
});
