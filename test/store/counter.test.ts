// Counters: what is shown of one, and what a row's change adds.

import { describe, expect, it } from 'vitest';
import { grown, growthOf, shown } from '../../src/store/counter.ts';

describe('a counter', () => {
  it('never falls when its rows do, and says what it withholds', () => {
    const risen = grown({ net: 0, served: 0, heldUntil: 100 }, 50);
    const fallen = grown(risen, -20);
    expect(fallen).toEqual({ net: 30, served: 50, heldUntil: 100 });
    expect(shown(fallen, 100)).toEqual({ value: 50, withheld: 20 });
    expect(grown(fallen, 30).served).toBe(60);
  });

  it('shows 0 until a run is stored at the end of its hold', () => {
    const counter = { net: 30, served: 50, heldUntil: 100 };
    expect(shown(counter, null)).toEqual({ value: 0, withheld: -30 });
    expect(shown(counter, 99).value).toBe(0);
    expect(shown(counter, 100).value).toBe(50);
  });
});

describe('a row adds', () => {
  it.each([
    ['nothing while the baseline is read', { before: 5, after: 9, periodEnd: 20, baselinedAt: null }, 0],
    [
      'its whole when it ends after the baseline',
      { before: null, after: 9, periodEnd: 20, baselinedAt: 19 },
      9,
    ],
    ['nothing when it ended by the baseline', { before: null, after: 9, periodEnd: 20, baselinedAt: 20 }, 0],
    ['its growth when it was seen, however old', { before: 5, after: 9, periodEnd: 20, baselinedAt: 99 }, 4],
    ['its fall when it was revised down', { before: 9, after: 5, periodEnd: 20, baselinedAt: 19 }, -4],
    ['nothing when no value is given', { before: 9, after: null, periodEnd: 20, baselinedAt: 19 }, 0],
  ])('%s', (_, sighting, growth) => {
    expect(growthOf(sighting)).toBe(growth);
  });
});
