// Used bytes over resets, corrections and wrong answers.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DAY, MINUTE } from '../../src/lib/time.ts';
import { type UseSeen, useSeen } from '../../src/store/usage.ts';

const STEP_MS = 5 * MINUTE;

/** The use after these answers, one a listing, and what is shown and counted after each. */
const follow = (answers: readonly number[], stepMs = STEP_MS) => {
  let use: UseSeen = { used: answers[0] ?? 0, falls: [], growth: 0 };
  let counted = 0;
  const shown: number[] = [];
  answers.slice(1).forEach((given, index) => {
    use = useSeen(use, given, index * stepMs);
    counted += use.growth;
    shown.push(use.used);
  });
  return { counted, shown, falls: use.falls };
};

it.each([
  ['growth', [100, 150], 50],
  ['a correction takes back', [100, 60], -40],
  ['a fall to half is a correction', [100, 50], -50],
  ['a fall below half is held', [100, 49], 0],
  ['a fall that is seen twice is a reset', [100, 49, 49], 49],
  ['what was used since a reset counts', [1000, 20, 70, 90], 90],
  ['a reset with use, and another one', [1000, 400, 0, 0, 7], 407],
  ['nothing used', [0, 0], 0],
  ['one zero', [1000, 1100, 0, 1200], 200],
  ['any number of zeros', [1000, 1100, 0, 0, 0, 0, 1200], 200],
  ['a return to the old value itself', [1000, 0, 0, 1000], 0],
  ['what was counted since the fall is taken back', [1000, 0, 20, 50, 1030], 30],
  ['a return in two steps is use after a reset', [1000, 0, 0, 600, 1100], 1100],
  ['less than the old value is use after a reset', [1000, 0, 0, 999], 999],
  ['a fall within a fall', [1000, 0, 5, 0, 0, 1200], 200],
  ['a fall within a fall that returns alone', [1000, 0, 400, 0, 0, 410], 410],
])('%s', (_, answers, counted) => {
  expect(follow(answers).counted).toBe(counted);
});

it('shows the old use until a fall is seen by another listing', () => {
  expect(follow([1000, 0, 0, 30, 1100]).shown).toEqual([1000, 0, 30, 1100]);
  const held = useSeen({ used: 1000, falls: [] }, 0, 7);
  const again = useSeen(held, 0, 7);
  expect([again.used, again.growth]).toEqual([1000, 0]);
  expect(useSeen(again, 0, 8).used).toBe(0);
});

it('takes a return for no reset within a day of the fall, not later', () => {
  const answers = [1000, 0, 0, 1200];
  expect(follow(answers, DAY / 2).counted).toBe(200);
  expect(follow(answers, DAY / 2 + 1).counted).toBe(1200);
});

it('forgets a fall that a clock far ahead saw', () => {
  const ahead = useSeen(useSeen({ used: 1000, falls: [] }, 0, 30 * DAY), 0, 30 * DAY + 1);
  expect(useSeen(ahead, 1200, 2 * DAY).growth).toBe(1200);
});

it('counts the same whether wrong zeros come in between or not', () => {
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
