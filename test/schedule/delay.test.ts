import { describe, expect, it } from 'vitest';
import { DAY, MINUTE, SECOND } from '../../src/lib/time.ts';
import { delayOf } from '../../src/schedule/ticker.ts';

const KEYS = Array.from({ length: 200 }, (_, n) => `account-${n}/traffic`);

const delaysOf = (intervalMs: number, accounts: number): number[] =>
  KEYS.map((key) => delayOf(key, intervalMs, accounts));

describe('the delays of runs', () => {
  it.each([
    [20 * SECOND, 20, 4 * SECOND],
    [MINUTE, 1, 12 * SECOND],
    [10 * MINUTE, 20, MINUTE],
    [DAY, 1, MINUTE],
    [20 * SECOND, 21, 16 * SECOND],
    [MINUTE, 21, 48 * SECOND],
    [MINUTE, 300, 48 * SECOND],
    [5 * MINUTE, 21, MINUTE],
    [5 * MINUTE, 100, 100 * SECOND],
    [5 * MINUTE, 300, 4 * MINUTE],
    [DAY, 300, 5 * MINUTE],
  ])('every %i ms with %i accounts are whole seconds, spread over %i ms', (intervalMs, accounts, limit) => {
    const delays = delaysOf(intervalMs, accounts);
    expect(delays.filter((delay) => delay % SECOND !== 0)).toEqual([]);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays)).toBeLessThan(limit);
    for (const half of [0, limit / 2])
      expect(delays.filter((delay) => delay >= half && delay < half + limit / 2).length).toBeGreaterThan(70);
  });

  it('are zero if a fifth of the interval is less than a second', () => {
    expect(new Set(delaysOf(SECOND, 1))).toEqual(new Set([0]));
  });

  it('change by at most a second when there is one account more', () => {
    const [before, after] = [100, 101].map((accounts) => delaysOf(5 * MINUTE, accounts));
    for (const [n, delay] of after?.entries() ?? [])
      expect(Math.abs(delay - (before?.[n] ?? Number.NaN))).toBeLessThanOrEqual(SECOND);
  });
});
