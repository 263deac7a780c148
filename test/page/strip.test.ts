// Tests the strip of uptime: own failures are told from others, and uptime counts only own failures.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UptimeStep } from '../../src/page/answers.ts';
import { hoursOf, monthStrip, strip, uptimeOf, uptimeTable } from '../../src/page/views/uptime.ts';

const step = (
  results: number,
  own: number | null,
  other: number,
  at = '2026-03-01T10:00:00.000Z',
): UptimeStep => {
  const successes = results - (own ?? 0) - other;
  return {
    ...{
      at,
      results,
      successes,
      ratio: results === 0 ? null : successes / results,
      mean_response_time_seconds: null,
    },
    ...{
      own_failures: own,
      other_failures: own === null ? null : other,
      unattributed_failures: own === null ? null : 0,
    },
    own_ratio: own === null || results === 0 ? null : (results - own) / results,
  };
};

const heights = (steps: readonly UptimeStep[]): Record<string, number> => {
  const paths = strip(steps, 'hour')
    .toString()
    .matchAll(/<path class="(\w+)" d="(?:M\d+ ([\d.]+)h2V([\d.]+)h-2z)?"/g);
  return Object.fromEntries(
    [...paths].map(([, name = '', top, bottom]) => [name, Number(bottom ?? 0) - Number(top ?? 0)]),
  );
};

/** The text beside the strip. */
const textOf = (days: readonly UptimeStep[]): string =>
  monthStrip({ days: [...days] })
    .toString()
    .replaceAll(/<[^>]*>/g, ' ')
    .trim();

describe('the strip', () => {
  it('shows a sound proxy with a blocked target as up', () => {
    expect(uptimeOf([step(8, 0, 4)])).toBe(1);
    expect(heights([step(8, 0, 4)])).toEqual({ ground: 0, good: 8, fair: 8, bad: 0 });
    expect(strip([step(8, 0, 4)], 'hour').toString()).toContain(
      'of 8 tests 0 own failures, 4 by others or of unknown cause',
    );
  });

  it('has no uptime if it is unknown what is at fault for some failures, and does not draw these as its own', () => {
    const upgraded = [step(8, null, 4), step(8, 0, 0), step(8, 2, 0)];
    expect(uptimeOf([step(8, null, 4)])).toBe('unknown');
    expect(uptimeOf(upgraded)).toBe('unknown');
    expect(textOf(upgraded)).toMatch(/ unknown$/);
    expect(heights([step(8, null, 4)])).toEqual({ ground: 0, good: 8, fair: 8, bad: 0 });
    const drawn = strip(upgraded, 'day').toString();
    expect(drawn).toContain(
      'own failures in 1 of 3 days, other failures in 0, failures of unknown fault in 1',
    );
    expect(drawn).toContain('of 8 tests 4 failures of unknown fault');
  });

  it('shows that there are no tests', () => {
    expect(uptimeOf([step(0, null, 0)])).toBe('none');
    expect(textOf([step(0, null, 0)])).toMatch(/ no tests$/);
    expect(textOf([step(8, 2, 2)])).toMatch(/ 75%$/);
  });

  it('makes a single failure visible, and fills its height exactly', () => {
    const counts = fc.record({ own: fc.nat(50), other: fc.nat(50), successes: fc.nat(5_000) });
    fc.assert(
      fc.property(counts, ({ own, other, successes }) => {
        const results = own + other + successes;
        const { ground = 0, good = 0, fair = 0, bad = 0 } = heights([step(results, own, other)]);
        expect(good + fair + bad).toBe(results === 0 ? 0 : 16);
        expect(ground).toBe(results === 0 ? 2 : 0);
        if (own > 0) expect(bad).toBeGreaterThanOrEqual(4);
        if (own === 0) expect(bad).toBe(0);
      }),
    );
  });
});

it('the share of up to 30 days says of how many days it is', () => {
  expect(uptimeTable('target', []).toString()).not.toMatch(/>30 days/);
  expect(textOf([step(8, 0, 0), step(8, 0, 0)])).toMatch(/100%$/);
  expect(textOf([step(0, 0, 0), step(8, 0, 0), step(0, 0, 0)])).toMatch(/100% +in 2 days$/);
});

it('hours of a proxy become steps with their times', () => {
  const values = { account: 'main', results: [0, 4], successes: [0, 3], own_failures: [0, null] };
  const hours = { from: '2026-03-01T23:00:00.000Z', data: [{ id: 'fr-1', ...values }] };
  expect(hoursOf(hours, 'fr-2')).toBeUndefined();
  const steps = hoursOf(hours, 'fr-1') ?? [];
  expect(steps).toEqual([
    { at: '2026-03-01T23:00:00.000Z', results: 0, successes: 0, own_failures: 0 },
    { at: '2026-03-02T00:00:00.000Z', results: 4, successes: 3, own_failures: null },
  ]);
  expect(strip(steps, 'hour').toString()).toContain(
    'own failures in 0 of 1 hours, other failures in 0, failures of unknown fault in 1',
  );
});
