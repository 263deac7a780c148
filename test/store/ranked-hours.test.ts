// Tests that the ranking of hours has exactly what was used in them, whichever days they touch and when clocks change.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type LocalHour, lastEndedHours, localHourOf, startOfLocalDay } from '../../src/lib/local-days.ts';
import { DAY, HOUR } from '../../src/lib/time.ts';
import { TestStore } from './support.ts';
import { list, TYPES, user } from './user-use-support.ts';

const MAX_HOURS = 60;

/** The hours from the day before the clock changes, if it does. The day of Lord Howe has 24 hours and a half. */
const hoursFrom = (zone: string, date: string): LocalHour[] => {
  const hours = [localHourOf(zone, startOfLocalDay(zone, Date.parse(date) / DAY))];
  while (hours.length <= MAX_HOURS) hours.push(localHourOf(zone, (hours.at(-1)?.start ?? 0) + HOUR));
  return hours;
};

const PLACES = [
  ['UTC', '2026-03-01'],
  ['Asia/Kolkata', '2026-03-01'],
  ['America/New_York', '2026-03-07'],
  ['Australia/Lord_Howe', '2026-04-04'],
] as const;

const used = fc.array(fc.tuple(fc.nat(50), fc.nat(9)), { minLength: 1, maxLength: MAX_HOURS });
const limits = fc.tuple(fc.nat(MAX_HOURS - 1), fc.nat(MAX_HOURS - 1));

it('the ranking of hours has what was used in them', async () => {
  await fc.assert(
    fc.asyncProperty(used, fc.constantFrom(...PLACES), limits, async (bytes, [zone, date], limit) => {
      const [from, to] = [Math.min(...limit), Math.max(...limit)];
      const hours = hoursFrom(zone, date);
      const at = (hour: number): LocalHour => hours[hour] ?? expect.fail('no such hour');
      using test = new TestStore();
      const counters = [0, 0] as [number, number];
      const expected = [0, 0] as [number, number];
      await list(test, [user('a', 0)], at(0).start, zone);
      for (const [hour, [residential, mobile]] of bytes.entries()) {
        for (const sum of hour >= from && hour <= to ? [counters, expected] : [counters]) {
          sum[0] += residential;
          sum[1] += mobile;
        }
        await list(test, [user('a', counters[0], counters[1])], at(hour + 1).start, zone);
      }
      const { first, last } = lastEndedHours(zone, at(to + 1).start, to - from + 1);
      expect([first, last]).toEqual([at(from), at(to)]);
      const { sum } = await test.store.userUse.ranking('main', {
        ...{ from: first.day, to: last.day, hours: { first: first.index, last: last.index } },
        ...{ types: TYPES, limit: 1 },
      });
      expect([sum.residential, sum.mobile]).toEqual(expected);
    }),
    { numRuns: 40 },
  );
});
