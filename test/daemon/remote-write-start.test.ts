// Tests from when a receiver of remote write gets history.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startOf, wholeDayFrom } from '../../src/daemon/remote-write/start.ts';
import type { Settings } from '../../src/daemon/settings.ts';
import { DAY, HOUR } from '../../src/lib/time.ts';

const NOW = Date.parse('2026-07-20T13:30:00Z');

const settingsOf = (...zones: string[]): Settings =>
  ({
    accounts: zones.map((time_zone) => ({ time_zone })),
    store: { retention: { raw: 8 * DAY } },
  }) as unknown as Settings;

it('history that is stored as polled begins exactly where the operator says', () => {
  const settings = settingsOf('Europe/Berlin');
  expect(startOf('now', settings, NOW)).toBe(NOW);
  for (const age of [5 * HOUR, 7 * DAY, 8 * DAY]) expect(startOf(age, settings, NOW)).toBe(NOW - age);
});

it('older history begins at midnight, because a rolled-up day is one row', () => {
  const startIn = (...zones: string[]): string =>
    new Date(startOf(30 * DAY, settingsOf(...zones), NOW)).toISOString();
  expect(startIn('UTC')).toBe('2026-06-20T00:00:00.000Z');
  expect(startIn('Europe/Berlin')).toBe('2026-06-19T22:00:00.000Z');
  expect(startIn('UTC', 'America/New_York')).toBe('2026-06-20T00:00:00.000Z');
  expect(startIn()).toBe('2026-06-20T13:30:00.000Z');
});

it('never begins later than the operator says, nor more than a day and an hour earlier', () => {
  const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/Santiago', 'Pacific/Kiritimati');
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 400 * DAY }), fc.array(zone), (age, zones) => {
      const earlierMs = NOW - age - wholeDayFrom(NOW - age, settingsOf(...zones), NOW);
      expect(earlierMs).toBeGreaterThanOrEqual(0);
      expect(earlierMs).toBeLessThan(DAY + HOUR);
    }),
  );
});
