// Tests which value a counter shows, and what a changed row adds.

import { describe, expect, it } from 'vitest';
import { growthOf, shownCounter, withGrowth } from '../../src/store/counter.ts';

describe('a counter', () => {
  it('never falls when its rows do, and shows what it withholds', () => {
    const risen = withGrowth({ net: 0, served: 0, heldUntil: 100 }, 50);
    const fallen = withGrowth(risen, -20);
    expect(fallen).toEqual({ net: 30, served: 50, heldUntil: 100 });
    expect(shownCounter(fallen, 100)).toEqual({ value: 50, withheld: 20 });
    expect(withGrowth(fallen, 30).served).toBe(60);
  });

  it('shows 0 until a run is stored at the end of its hold', () => {
    const counter = { net: 30, served: 50, heldUntil: 100 };
    expect(shownCounter(counter, null)).toEqual({ value: 0, withheld: -30 });
    expect(shownCounter(counter, 99).value).toBe(0);
    expect(shownCounter(counter, 100).value).toBe(50);
  });
});

describe('a row adds', () => {
  it.each([
    [
      'nothing while the baseline is being read',
      { before: 5, after: 9, periodEnd: 20, baselinedAt: null },
      0,
    ],
    [
      'all of its value when it ends after the baseline',
      { before: null, after: 9, periodEnd: 20, baselinedAt: 19 },
      9,
    ],
    [
      'nothing when it ended before the baseline',
      { before: null, after: 9, periodEnd: 20, baselinedAt: 20 },
      0,
    ],
    ['its growth when it is known, however old', { before: 5, after: 9, periodEnd: 20, baselinedAt: 99 }, 4],
    ['its fall when it was revised down', { before: 9, after: 5, periodEnd: 20, baselinedAt: 19 }, -4],
    ['nothing when no value is given', { before: 9, after: null, periodEnd: 20, baselinedAt: 19 }, 0],
  ])('%s', (_, observation, growth) => {
    expect(growthOf(observation)).toBe(growth);
  });
});
