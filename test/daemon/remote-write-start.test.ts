// Tests from when a receiver of remote write gets history.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startOf, wholeDayFrom } from '../../src/daemon/remote-write/histories.ts';
import type { Settings } from '../../src/daemon/settings.ts';
import { DAY, HOUR } from '../../src/lib/time.ts';
import type { RolledUpHistory } from '../../src/store/publication-store.ts';
import type { Store } from '../../src/store/store.ts';

const NOW = Date.parse('2026-07-20T13:30:00Z');

/** A store in which nothing is rolled up. */
const asPolled = (at: number): RolledUpHistory => ({ until: 0, from: at });
const storeWith = (rolledUp: (at: number) => RolledUpHistory) =>
  ({ publications: { rolledUp: async (at: number) => rolledUp(at) } }) as unknown as Store;

const settingsOf = (...zones: string[]): Settings =>
  ({
    accounts: zones.map((time_zone) => ({ time_zone })),
    store: { retention: { raw: 8 * DAY } },
  }) as unknown as Settings;

it('history that is stored as polled begins exactly where the operator says', async () => {
  const [settings, store] = [settingsOf('Europe/Berlin'), storeWith(asPolled)];
  expect(await startOf('now', settings, store, NOW)).toBe(NOW);
  for (const age of [5 * HOUR, 7 * DAY, 8 * DAY])
    expect(await startOf(age, settings, store, NOW)).toBe(NOW - age);
});

it('older history begins at midnight, because a rolled-up day is one row', async () => {
  const startIn = async (...zones: string[]): Promise<string> =>
    new Date(await startOf(30 * DAY, settingsOf(...zones), storeWith(asPolled), NOW)).toISOString();
  expect(await startIn('UTC')).toBe('2026-06-20T00:00:00.000Z');
  expect(await startIn('Europe/Berlin')).toBe('2026-06-19T22:00:00.000Z');
  expect(await startIn('UTC', 'America/New_York')).toBe('2026-06-20T00:00:00.000Z');
  expect(await startIn()).toBe('2026-06-20T13:30:00.000Z');
});

it('history that an earlier, shorter retention rolled up begins at midnight, or with the day of an earlier zone', async () => {
  const startIn = async (zone: string, rolledUp: RolledUpHistory): Promise<string> =>
    new Date(
      await startOf(
        5 * DAY,
        settingsOf(zone),
        storeWith(() => rolledUp),
        NOW,
      ),
    ).toISOString();
  const [at, until] = [NOW - 5 * DAY, NOW - 2 * DAY];
  expect(await startIn('UTC', { until, from: at })).toBe('2026-07-15T00:00:00.000Z');
  expect(await startIn('UTC', { until, from: at - 30 * 60_000 })).toBe('2026-07-15T00:00:00.000Z');
  const day = { until, from: Date.parse('2026-07-15T00:00:00Z') };
  expect(await startIn('America/New_York', day)).toBe('2026-07-15T00:00:00.000Z');
  expect(await startIn('UTC', { until: at, from: at })).toBe('2026-07-15T13:30:00.000Z');
});

it('never begins later than the operator says, nor more than a day and an hour earlier', () => {
  const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/Santiago', 'Pacific/Kiritimati');
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 400 * DAY }), fc.array(zone), (age, zones) => {
      const earlierMs = NOW - age - wholeDayFrom(NOW - age, asPolled(NOW - age), settingsOf(...zones), NOW);
      expect(earlierMs).toBeGreaterThanOrEqual(0);
      expect(earlierMs).toBeLessThan(DAY + HOUR);
    }),
  );
});
