// Tests that windows are contiguous, and that their range of local times has the rows of no other time.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lostWindow, nextWindow, settledTo } from '../../../src/collectors/request-log/allowance.ts';
import { DAY, HOUR, instantsOf, MINUTE, SECOND, zoneOffset } from '../../../src/lib/time.ts';
import type { LogWindow } from '../../../src/store/request-log-store.ts';

const zone = fc.constantFrom(
  'UTC',
  'Europe/London',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'America/New_York',
);
/** Around the changes of the clocks in spring and autumn, and any other time. */
const time = fc.oneof(
  ...['2026-03-29', '2026-10-25', '2026-04-05', '2026-10-04', '2026-03-08', '2026-11-01'].map((day) =>
    fc.integer({ min: Date.parse(day), max: Date.parse(day) + DAY }),
  ),
  fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2027-01-01') }),
);

const windowsBetween = (from: number, end: number, name: string): LogWindow[] => {
  const windows: LogWindow[] = [];
  for (let next = nextWindow(from, end, name); next; next = nextWindow(next.to, end, name))
    windows.push(next);
  return windows;
};

/** Whether the clock shows a time of the window at no time outside of it. */
const isAlone = ({ from, to }: LogWindow, name: string): boolean => {
  for (let at = from; at < to; at += 10 * MINUTE) {
    const others = instantsOf(name, at + zoneOffset(name, at));
    if (others.some((other) => other < from || other >= to)) return false;
  }
  const local = (at: number): number => at + zoneOffset(name, at);
  return local(from) <= local(to - SECOND);
};

it('windows follow each other up to the last settled minute, in whatever zone', () => {
  fc.assert(
    fc.property(zone, time, fc.integer({ min: 0, max: 5 * HOUR }), (name, now, before) => {
      const [from, end] = [settledTo(now - before, 10 * MINUTE, name), settledTo(now, 10 * MINUTE, name)];
      const windows = windowsBetween(from, end, name);
      expect(windows.at(-1)?.to ?? from).toBe(end);
      expect(now - end).toBeLessThan(2 * HOUR + 11 * MINUTE);
      for (const [index, window] of windows.entries()) {
        expect(window.from).toBe(index === 0 ? from : windows[index - 1]?.to);
        expect(window.to - window.from).toBeLessThanOrEqual(3 * HOUR);
        expect(isAlone(window, name)).toBe(true);
      }
    }),
  );
});

it('only time that the provider has removed is lost', () => {
  fc.assert(
    fc.property(zone, time, fc.integer({ min: 0, max: 20 * DAY }), (name, now, age) => {
      const from = settledTo(now - age, 0, name);
      const lost = lostWindow(from, now, name);
      if (lost) expect(lost.from).toBe(from);
      const start = lost?.to ?? from;
      expect(now - start).toBeLessThanOrEqual(7 * DAY);
      if (age < 6.8 * DAY) expect(lost).toBeUndefined();
    }),
  );
});
