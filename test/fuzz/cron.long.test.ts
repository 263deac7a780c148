// Fuzzes cron schedules in all time zones, against slots that are found by reading wall clocks with Intl.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Cron } from '../../src/lib/cron.ts';
import { cases, FUZZ_TIMEOUT } from '../support/fuzz.ts';
import { asUtc, changesOf, type WallTime, wallTimeOf, ZONES } from '../support/wall-clock.ts';

const QUARTER = 15 * 60_000;
const DAY = 96 * QUARTER;
const FROM = Date.parse('2026-01-01T00:00:00Z');
const TO = Date.parse('2027-01-14T00:00:00Z');

interface Fields {
  /** Multiples of 15. */
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  readonly months: readonly number[];
  readonly weekdays: readonly number[];
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);
const ALL: Fields = {
  minutes: [0],
  hours: range(0, 23),
  days: range(1, 31),
  months: range(1, 12),
  weekdays: range(0, 6),
};

const expressionOf = ({ minutes, hours, days, months, weekdays }: Fields): string =>
  [minutes, hours, days, months, weekdays].map((field) => field.join(',')).join(' ');

/** A schedule that runs less than every hour keeps each of its slots when clocks change. */
const isFrequent = ({ minutes, hours }: Fields): boolean =>
  minutes.length > 1 || hours.some((hour) => hours.includes((hour + 1) % 24));

const isSlot = ({ minutes, hours, days, months, weekdays }: Fields, at: WallTime): boolean =>
  minutes.includes(at.minute) &&
  hours.includes(at.hour) &&
  days.includes(at.day) &&
  months.includes(at.month) &&
  weekdays.includes(at.weekday);

/** Returns the slots from `from` to `to` (multiples of 15 minutes), in the order of time. */
const slotsBetween = (fields: Fields, zone: string, from: number, to: number): number[] => {
  const slots = new Set<number>();
  const seen = new Set<number>();
  let last = asUtc(wallTimeOf(zone, from - DAY));
  for (let at = from - DAY + QUARTER; at <= to; at += QUARTER) {
    const wall = wallTimeOf(zone, at);
    const local = asUtc(wall);
    const isRepeated = seen.has(local);
    const skipped = range(1, (local - last) / QUARTER - 1).map((n) => last + n * QUARTER);
    const isAnySkipped = skipped.some((each) => isSlot(fields, wallTimeOf('UTC', each)));
    const isExtra = !isFrequent(fields) && isAnySkipped;
    const isLeftOut = !isFrequent(fields) && isRepeated;
    if (at >= from && (isExtra || (isSlot(fields, wall) && !isLeftOut))) slots.add(at);
    seen.add(local);
    last = local;
  }
  return [...slots];
};

const found = (fields: Fields, zone: string, from: number, to: number): number[] => {
  const cron = new Cron(expressionOf(fields), zone);
  const slots: number[] = [];
  for (let at = cron.next(from - 1); at <= to; at = cron.next(at)) slots.push(at);
  return slots;
};

const texts = (slots: readonly number[]): string[] => slots.map((at) => new Date(at).toISOString());

describe('a schedule', () => {
  it(
    'has every slot and no other in any zone at any time',
    () => {
      const some = (min: number, max: number, all: readonly number[]) =>
        fc.oneof(fc.constant(all), fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 4 }));
      const fields = fc.record<Fields>({
        minutes: fc.uniqueArray(fc.constantFrom(0, 15, 30, 45), { minLength: 1, maxLength: 3 }),
        hours: some(0, 23, ALL.hours),
        days: some(1, 31, ALL.days),
        months: some(1, 12, ALL.months),
        weekdays: some(0, 6, ALL.weekdays),
      });
      const start = fc.integer({
        min: Date.parse('2015-01-01') / QUARTER,
        max: Date.parse('2037-01-01') / QUARTER,
      });
      const property = fc.property(fields, fc.constantFrom(...ZONES), start, (each, zone, quarter) => {
        // 30 February has no slot, and node-cron refuses it.
        fc.pre(each.days.some((day) => day <= 28));
        const from = quarter * QUARTER;
        expect(texts(found(each, zone, from, from + 2 * DAY))).toEqual(
          texts(slotsBetween(each, zone, from, from + 2 * DAY)),
        );
      });
      fc.assert(property, cases(60));
    },
    FUZZ_TIMEOUT,
  );

  it(
    'is later than the given time, also with seconds and between slots',
    () => {
      const expression = fc.constantFrom(
        '*/7 * * * * *',
        '59 59 23 * * *',
        '30 2 * * *',
        '0 0 29 2 *',
        '0 12 1 1 0',
      );
      const time = fc.integer({ min: 0, max: Date.parse('2100-01-01T00:00:00Z') });
      const property = fc.property(expression, fc.constantFrom(...ZONES), time, (text, zone, after) => {
        const at = new Cron(text, zone).next(after);
        expect(at).toBeGreaterThan(after);
        expect(at % 1_000).toBe(0);
      });
      fc.assert(property, cases(100));
    },
    FUZZ_TIMEOUT,
  );

  it(
    'once a day has one slot on each day in all zones, also when clocks change',
    () => {
      for (const zone of ZONES) {
        for (const change of changesOf(zone, FROM, TO)) {
          const [before, after] = [wallTimeOf(zone, change - QUARTER), wallTimeOf(zone, change)];
          // The first skipped or repeated time, the last one, and the time right after them.
          for (const { hour, minute } of [wallTimeOf('UTC', asUtc(before) + QUARTER), before, after]) {
            const fields = { ...ALL, hours: [hour], minutes: [minute] };
            const slots = found(fields, zone, change - 2 * DAY, change + 2 * DAY);
            expect([zone, ...texts(slots)]).toEqual([
              zone,
              ...texts(slotsBetween(fields, zone, change - 2 * DAY, change + 2 * DAY)),
            ]);
            // A slot moves by at most the two hours by which clocks change in Antarctica.
            const gaps = slots.slice(1).map((at, index) => at - (slots[index] ?? 0));
            expect([zone, gaps.filter((gap) => Math.abs(gap - DAY) > DAY / 12)]).toEqual([zone, []]);
          }
        }
      }
    },
    FUZZ_TIMEOUT,
  );

  it(
    'of every quarter of an hour goes on when clocks change',
    () => {
      const fields = { ...ALL, minutes: [0, 15, 30, 45] };
      const changes = ZONES.flatMap((zone) => changesOf(zone, FROM, TO).map((change) => ({ zone, change })));
      expect(changes.length).toBeGreaterThan(100);
      for (const { zone, change } of changes) {
        const slots = found(fields, zone, change - DAY / 8, change + DAY / 8);
        expect([zone, slots.length]).toEqual([zone, 25]);
      }
    },
    FUZZ_TIMEOUT,
  );
});
