// Tests the arithmetic of gaps.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  afterFailure,
  type Gap,
  MAX_GAPS,
  totalLengthMs,
  withoutRange,
  withRange,
} from '../../src/store/gap.ts';

const STEPS = 200;
const range = fc
  .tuple(fc.integer({ min: 0, max: STEPS - 1 }), fc.integer({ min: 1, max: 40 }))
  .map(([from, length]) => ({ from, to: Math.min(STEPS, from + length) }));
const change = fc.record({ kind: fc.constantFrom('open', 'read', 'fail'), range });

const timeOf = (gaps: readonly Gap[]): Set<number> =>
  new Set(gaps.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index)));

it('gaps contain exactly the time that was skipped and not read since, in order and without overlaps', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      let gaps: Gap[] = [];
      const unread = new Set<number>();
      for (const [index, { kind, range }] of changes.entries()) {
        for (let at = range.from; at < range.to; at += 1) {
          if (kind === 'open') unread.add(at);
          if (kind === 'read') unread.delete(at);
        }
        if (kind === 'open') gaps = withRange(gaps, range);
        if (kind === 'read') gaps = withoutRange(gaps, range);
        if (kind === 'fail') gaps = afterFailure(gaps, range, index);
        expect(timeOf(gaps)).toEqual(unread);
        expect(totalLengthMs(gaps)).toBe(unread.size);
        const starts = gaps.map(({ from }) => from);
        expect(starts).toEqual(starts.toSorted((a, b) => a - b));
      }
    }),
  );
});

it('a failed attempt counts only for the range that was tried, and a range opened again keeps its attempts', () => {
  const day = withRange([], { from: 0, to: 24 });
  const tried = afterFailure(day, { from: 6, to: 12 }, 100);
  expect(tried).toEqual([
    { from: 0, to: 6, tries: 0, triedAt: null },
    { from: 6, to: 12, tries: 1, triedAt: 100 },
    { from: 12, to: 24, tries: 0, triedAt: null },
  ]);
  expect(withRange(tried, { from: 0, to: 24 })).toEqual(tried);
  expect(afterFailure(tried, { from: 0, to: 24 }, 200).map(({ tries }) => tries)).toEqual([1, 2, 1]);
});

it('gaps beyond the limit are merged with the nearest gap, including the time between them, and none is lost', () => {
  let gaps: Gap[] = [];
  for (let index = 0; index < 3 * MAX_GAPS; index += 1)
    gaps = withRange(gaps, { from: index * index * 10, to: index * index * 10 + 5 });
  expect(gaps).toHaveLength(MAX_GAPS);
  for (let index = 0; index < 3 * MAX_GAPS; index += 1)
    expect(gaps.some(({ from, to }) => from <= index * index * 10 && to >= index * index * 10 + 5)).toBe(
      true,
    );
});
