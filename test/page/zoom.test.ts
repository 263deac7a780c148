// Tests that a zoom shows all of the range that the reader dragged over, however short it is.

import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { chooseCustomRange, chosenRange, chosenRangeName } from '../../src/page/range.ts';

const MINUTE = 60_000;
const NOW = Date.parse('2026-03-01T12:00:00Z');

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it('contains the dragged range, and at most a minute more at each end', () => {
  vi.useFakeTimers({ now: NOW });
  const pushState = (_: unknown, __: string, address: URL): void => void vi.stubGlobal('location', address);
  vi.stubGlobal('history', { state: null, pushState });
  const start = fc.integer({ min: NOW - 10 * MINUTE, max: NOW - 2 * MINUTE });
  fc.assert(
    fc.property(start, fc.integer({ min: 1, max: 2 * MINUTE }), (from, length) => {
      vi.stubGlobal('location', new URL('http://localhost/?range=7d'));
      chooseCustomRange(from, from + length);
      expect(chosenRangeName()).toBeNull();
      const shown = chosenRange();
      expect(from - shown.from).toBeGreaterThanOrEqual(0);
      expect(from - shown.from).toBeLessThan(MINUTE);
      expect((shown.to ?? 0) - from - length).toBeGreaterThanOrEqual(0);
      expect((shown.to ?? 0) - from - length).toBeLessThan(MINUTE);
    }),
  );
});
