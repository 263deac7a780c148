// Tests in which hours traffic is expected.

import { expect, test } from 'vitest';
import { isWithin } from '../../../src/collectors/traffic/newest-traffic.ts';
import { hours } from '../../../src/config/primitives.ts';
import { MINUTE } from '../../../src/lib/time.ts';

test.each([
  ['08-20', 'UTC', '2026-07-06T08:00:00Z', 30, true],
  ['08-20', 'UTC', '2026-07-06T07:59:00Z', 30, false],
  ['08-20', 'UTC', '2026-07-06T19:30:00Z', 30, true],
  ['08-20', 'UTC', '2026-07-06T19:31:00Z', 30, false],
  ['08-20', 'Europe/Paris', '2026-07-06T06:00:00Z', 30, true],
  ['08-20', 'Europe/Paris', '2026-07-06T18:00:00Z', 30, false],
  ['22-06', 'UTC', '2026-07-06T23:45:00Z', 30, true],
  ['22-06', 'UTC', '2026-07-06T05:45:00Z', 30, false],
  // This range goes from one day's hours over the night to the next day's hours.
  ['08-20', 'UTC', '2026-07-06T19:00:00Z', 14 * 60, false],
  ['00-24', 'UTC', '2026-07-06T19:00:00Z', 14 * 60, true],
  // Clocks go forward at 1:00 UTC, from 2:00 to 3:00.
  ['02-06', 'Europe/Paris', '2026-03-29T00:45:00Z', 30, false],
  ['02-06', 'Europe/Paris', '2026-03-29T01:00:00Z', 30, true],
] as const)('%s in %s contains the time from %s for %i minutes: %s', (written, zone, from, minutes, is) => {
  const at = Date.parse(from);
  expect(isWithin(hours().parse(written), zone, at, at + minutes * MINUTE)).toBe(is);
});

test.each(['8-20', '08-08', '24-08', '08-25', '08-00', '08:00-20:00', ''])(
  '%j is not a valid range of hours',
  (written) => {
    expect(hours().safeParse(written).success).toBe(false);
  },
);
