// Tests which ranges the page shows: those that begin in the past, and at most 400 days of them.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { validRange } from '../../src/page/ranges.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const DAY = 86_400_000;

it('has a past start before its end, at most 400 days back', () => {
  const days = fc.integer({ min: -1_000, max: 100 });
  fc.assert(
    fc.property(days, fc.option(days, { nil: null }), (start, end) => {
      const [from, to] = [NOW + start * DAY, end === null ? null : NOW + end * DAY];
      const range = validRange(from, to, NOW);
      // The oldest day is whole, so it begins up to a day earlier.
      const isValid = start < 0 && (end === null || (end > start && end >= -400));
      expect(range !== null).toBe(isValid);
      if (!range) return;
      expect(range.to).toBe(to);
      expect(range.from).toBe(Math.max(from, Math.floor((NOW - 400 * DAY) / DAY) * DAY));
      expect(range.from).toBeLessThan(range.to ?? NOW);
    }),
  );
});

it('is none without a start', () => {
  expect(validRange(null, NOW, NOW)).toBeNull();
});
