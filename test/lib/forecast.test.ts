// Tests forecasts: their accuracy goals on simulated habits, and properties that hold for any history.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  forecastExhaustion,
  forecastRange,
  MAX_IDLE_MS,
  MIN_HISTORY_MS,
  newRates,
  observe,
  type Rates,
} from '../../src/lib/forecast.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { measure } from '../support/forecast-errors.ts';
import {
  CHANGING_PATTERNS,
  CHANGING_WEEKLY_PATTERNS,
  DAILY_PATTERNS,
  type UsagePattern,
  WEEKLY_PATTERNS,
} from '../support/usage-patterns.ts';

const START = Date.parse('2026-03-01T00:00:00Z');
const POLL = 5 * MINUTE;

/** Returns the rates of a subject that used `bytesPerSecond` from START until `spanMs` later, polled every `pollMs`. */
const steady = (bytesPerSecond: number, spanMs: number, pollMs = POLL): Rates => {
  let rates = newRates(START);
  for (let at = START + pollMs; at <= START + spanMs; at += pollMs)
    rates = observe(rates, (bytesPerSecond * pollMs) / SECOND, at - pollMs, at);
  return rates;
};

/** Returns the rates of a subject that used `ratio` times as many bytes from Sunday to Thursday as on the other two days. */
const weekdays = (ratio: number, spanMs: number, scale = 1): Rates => {
  let rates = newRates(START);
  for (let at = START + HOUR; at <= START + spanMs; at += HOUR) {
    const isWorking = (at - START - 1) % (7 * DAY) < 5 * DAY;
    rates = observe(rates, 3_600_000 * scale * (isWorking ? ratio : 1), at - HOUR, at);
  }
  return rates;
};

const aheadOf = (rates: Rates, leftBytes: number, at: number): number =>
  (forecastExhaustion(rates, leftBytes, at) ?? Number.NaN) - at;

describe('a steady subject', () => {
  it.each([1, 3, 30])('that was seen for %i days is forecast within 1 %', (days) => {
    const rates = steady(1_000, days * DAY);
    for (const hours of [0.1, 1, 24, 72, 1_000]) {
      const left = 1_000 * hours * 3_600;
      expect(aheadOf(rates, left, START + days * DAY) / (hours * HOUR)).toBeCloseTo(1, 2);
    }
  });

  it('gets the same forecast however often it is polled, also with an outage', () => {
    let rates = steady(1_000, 2 * DAY);
    const back = START + 2 * DAY + 6 * HOUR;
    rates = observe(rates, 1_000 * 6 * 3_600, START + 2 * DAY, back);
    expect(aheadOf(rates, 1_000 * 86_400, back) / DAY).toBeCloseTo(1, 6);
    expect(aheadOf(steady(1_000, 2 * DAY, 7 * HOUR), 1_000 * 86_400, rates.at) / DAY).toBeGreaterThan(0.99);
  });

  it('has more time immediately when it is topped up', () => {
    const rates = steady(1_000, 3 * DAY);
    const now = START + 3 * DAY;
    expect(aheadOf(rates, 3e9, now) / aheadOf(rates, 1e9, now)).toBeCloseTo(3, 6);
  });
});

describe('no forecast is given', () => {
  const now = START + 2 * DAY;

  it('before a day of history', () => {
    const rates = steady(1_000, MIN_HISTORY_MS - POLL);
    expect(forecastExhaustion(rates, 1e9, START + MIN_HISTORY_MS - 1)).toBeUndefined();
    expect(forecastExhaustion(rates, 1e9, START + MIN_HISTORY_MS)).toBeGreaterThan(START + MIN_HISTORY_MS);
  });

  it('when nothing was ever used', () => {
    expect(forecastExhaustion(newRates(START), 1e9, START + MIN_HISTORY_MS)).toBeUndefined();
    expect(forecastExhaustion(newRates(START), 1e9, START + MAX_IDLE_MS)).toBeUndefined();
  });

  it('once nothing was used for 36 hours', () => {
    const rates = steady(1_000, 2 * DAY);
    expect(forecastExhaustion(rates, 1e9, now + MAX_IDLE_MS)).toBeGreaterThan(now + MAX_IDLE_MS);
    expect(forecastExhaustion(rates, 1e9, now + MAX_IDLE_MS + 1)).toBeUndefined();
  });

  it('when nothing is left', () => {
    expect(forecastExhaustion(steady(1_000, 2 * DAY), 0, now)).toBeUndefined();
    expect(forecastExhaustion(steady(1_000, 2 * DAY), -5, now)).toBeUndefined();
  });

  it('if the time is out of the range of dates', () => {
    expect(forecastExhaustion(steady(0.001, 2 * DAY), 1e15, now)).toBeUndefined();
  });

  it('when corrections took back all that was used', () => {
    const rates = observe(observe(newRates(START), 1e9, now - POLL, now), -2e9, now, now + POLL);
    expect(forecastExhaustion(rates, 1e9, now + POLL)).toBeUndefined();
  });
});

describe('observed growth', () => {
  it('of 0 returns the same object, so that nothing is written', () => {
    const rates = steady(1_000, DAY);
    expect(observe(rates, 0, rates.at, rates.at + POLL)).toBe(rates);
  });

  it('counts over the gap between the polls, not over the idle time before it', () => {
    const at = START + 10 * DAY;
    const bounded = observe(newRates(START), 1e9, at - POLL, at);
    const smeared = observe(newRates(START), 1e9, START, at);
    expect(bounded.hour).toBeGreaterThan(100 * smeared.hour);
    expect(smeared.week).toBeCloseTo((1e9 / (10 * 86_400)) * (1 - 2 ** (-10 / 7)), 3);
  });

  it('counts at the newest known time when the clock goes back', () => {
    const rates = steady(1_000, 2 * DAY);
    const late = observe(rates, 1e6, rates.at - HOUR, rates.at - HOUR);
    expect(late.at).toBe(rates.at);
    expect(late.hour - rates.hour).toBeCloseTo((1e6 * Math.LN2) / 3_600, 6);
  });

  it('that is corrected to 0 leaves the rates unchanged', () => {
    const rates = steady(1_000, 2 * DAY);
    const corrected = observe(observe(rates, 5e9, rates.at, rates.at), -5e9, rates.at, rates.at);
    expect(corrected.day).toBeCloseTo(rates.day, 6);
  });
});

describe('the rhythm of the week', () => {
  const forecastOf = (rates: Rates, at: number): number => aheadOf(rates, 3_600_000 * 48, at) / HOUR;

  it('is not used before two weeks of it were observed', () => {
    const rates = weekdays(3, 14 * DAY - 4 * HOUR);
    const without = { ...rates, profile: null };
    expect(rates.profile).not.toBeNull();
    expect(forecastExhaustion(rates, 1e9, rates.at)).toBe(forecastExhaustion(without, 1e9, rates.at));
  });

  it('is known at the start of the fourth weekend and of the week after it', () => {
    const atWeekend = weekdays(3, 26 * DAY);
    expect(Math.abs(forecastOf(atWeekend, atWeekend.at) / 48 - 1)).toBeLessThan(0.1);
    const atWeek = weekdays(3, 28 * DAY);
    expect(Math.abs(forecastOf(atWeek, atWeek.at) / 16 - 1)).toBeLessThan(0.1);
  });

  it('still applies when the level of use changes', () => {
    const rates = weekdays(3, 33 * DAY);
    const doubled = { ...rates, hour: 2 * rates.hour, day: 2 * rates.day, week: 2 * rates.week };
    expect(Math.abs(forecastOf(doubled, rates.at) / 24 - 1)).toBeLessThan(0.1);
  });

  it('does not overestimate little use at the end of a quiet weekend', () => {
    const sunday = weekdays(100, 28 * DAY - 2 * HOUR);
    const anHourOfMonday = 3_600_000 * 100;
    const { at } = sunday;
    const rates = observe(sunday, anHourOfMonday, at, at + HOUR);
    expect(aheadOf(rates, 24 * anHourOfMonday, rates.at)).toBeGreaterThan(12 * HOUR);
  });

  it('hardly changes after a burst', () => {
    const rates = weekdays(3, 28 * DAY);
    const burst = observe(rates, 100 * 8 * 3_600_000, rates.at, rates.at + 8 * HOUR);
    const { profile } = observe(burst, 1, burst.at, burst.at + 1);
    const moved = { ...rates, profile };
    expect(Math.abs(forecastOf(moved, rates.at) / forecastOf(rates, rates.at) - 1)).toBeLessThan(0.2);
  });

  it('is not learnt from a gap between polls, nor from a rest of more than four days', () => {
    const { at, profile, ...rates } = weekdays(3, 28 * DAY);
    const afterGap = observe({ ...rates, at, profile }, 1e9, at, at + 2 * DAY);
    expect(afterGap).toMatchObject({ profile, slotBytes: null });
    const afterRest = observe({ ...rates, at, profile }, 1e9, at + 5 * DAY, at + 5 * DAY + 1);
    expect(afterRest).toMatchObject({ profile, slotBytes: 1e9 });
  });

  it('keeps the bytes when the clock goes back', () => {
    const { at, slotBytes, ...rates } = weekdays(3, 28 * DAY - HOUR);
    const back = observe({ ...rates, at, slotBytes }, 1e6, at + HOUR, at - DAY);
    expect(back).toMatchObject({ at, slotBytes: (slotBytes ?? 0) + 1e6, profile: rates.profile });
  });
});

describe('use that pauses', () => {
  const now = START + 3 * DAY;
  const rates = steady(1_000, 3 * DAY);

  it('is forecast later the longer it pauses', () => {
    const ahead = [0, 6, 12, 24, 36].map((hours) => aheadOf(rates, 1e9, now + hours * HOUR));
    expect(ahead).toEqual(ahead.toSorted((a, b) => a - b));
    expect((ahead.at(-1) ?? 0) / (ahead[0] ?? 0)).toBeGreaterThan(1.5);
  });

  it('has less weight when it resumes', () => {
    const again = now + 10 * HOUR;
    expect(observe(rates, 1, again - 1, again).hour / rates.hour).toBeCloseTo(2 ** -10, 3);
  });

  it('is forecast from its last poll if the newest complete listing is older', () => {
    expect(forecastExhaustion(rates, 1e9, now - HOUR)).toBe(forecastExhaustion(rates, 1e9, now));
  });

  it('is never negative after a correction', () => {
    const corrected = observe(rates, -2e8, now, now + POLL);
    expect(corrected.day).toBeLessThan(0);
    const ahead = [1, 1e6, 1e7].map((bytes) => aheadOf(corrected, bytes, now + POLL) / HOUR);
    expect(ahead[0]).toBeLessThan(1);
    expect(ahead[1]).toBeGreaterThan(1);
    expect(ahead[2]).toBeGreaterThan(ahead[1] ?? Number.NaN);
  });
});

describe('the goal of 20 % a day ahead', () => {
  const subjects = 4;
  const settled = { evaluatedRange: [7 * DAY, 10 * DAY], aheadMs: DAY, subjects } as const;
  const outageAt = 7.5 * DAY;
  const afterOutage = {
    ...settled,
    evaluatedRange: [outageAt + 6 * HOUR, outageAt + 30 * HOUR],
    outageAt,
  } as const;
  const daily = DAILY_PATTERNS.slice(0, 4).map((habit) => [habit.name, habit] as const);
  const changing = (name: string, habits = CHANGING_PATTERNS): UsagePattern => {
    const habit = habits.find((candidate) => candidate.name.startsWith(name));
    if (!habit) throw new Error(`no habit ${name}`);
    return habit;
  };
  const known = { ...settled, evaluatedRange: [21 * DAY, 28 * DAY] } as const;
  const weekly = WEEKLY_PATTERNS.filter(({ isUneven }) => !isUneven).map(
    (habit) => [habit.name, habit] as const,
  );

  it.each(daily)('is met by %s', (_, habit) => {
    const { coverage: given, p90 } = measure(habit, settled);
    expect(given).toBe(1);
    expect(p90).toBeLessThan(0.2);
    expect(measure(habit, { ...settled, aheadMs: 3 * DAY }).p90).toBeLessThan(0.1);
  });

  it.each(daily)('is met on the day after an outage by %s', (_, habit) => {
    const { coverage: given, p90 } = measure(habit, afterOutage);
    expect(given).toBe(1);
    expect(p90).toBeLessThan(0.2);
  });

  it.each(daily)('is met from the second day on by %s', (_, habit) => {
    expect(measure(habit, { ...settled, evaluatedRange: [2 * DAY, 4 * DAY] }).p90).toBeLessThan(0.2);
  });

  it('is met after a reset, and by half of the forecasts during a burst', () => {
    expect(measure(changing('reset'), settled).p90).toBeLessThan(0.2);
    expect(measure(changing('idle, then a burst: 12 h'), settled).median).toBeLessThan(0.2);
  });

  it('requires no forecast for subjects that have stopped', () => {
    expect(measure(changing('stopped'), settled).coverage).toBe(0);
    expect(measure(changing('stopped', CHANGING_WEEKLY_PATTERNS), settled).coverage).toBe(0);
  });

  it.each(weekly)('is met after three weeks, and three days ahead, by %s', (_, habit) => {
    const { coverage: given, median, p90 } = measure(habit, known);
    const isExtreme = habit.name.includes('weekdays 10');
    expect(given).toBe(1);
    expect(median).toBeLessThan(0.1);
    expect(p90).toBeLessThan(isExtreme ? 0.3 : 0.2);
    expect(measure(habit, { ...known, aheadMs: 3 * DAY }).p90).toBeLessThan(isExtreme ? 0.25 : 0.15);
  });

  it.each(daily)('is still met when the rhythm of the week is known, by %s', (_, habit) => {
    expect(measure(habit, known).p90).toBeLessThan(0.2);
    expect(measure(habit, { ...known, aheadMs: 3 * DAY }).p90).toBeLessThan(0.1);
  });

  it('is met after a reset in a rhythm of the week, and by half of the forecasts after a burst', () => {
    expect(measure(changing('reset', CHANGING_WEEKLY_PATTERNS), settled).p90).toBeLessThan(0.2);
    const burst = measure(changing('ten times as much for a day', CHANGING_WEEKLY_PATTERNS), settled);
    expect(burst.median).toBeLessThan(0.25);
    expect(burst.worst).toBeLessThan(1);
  });
});

describe('of any history', () => {
  const poll = fc.record({
    gapMs: fc.integer({ min: 1, max: 8 * HOUR }),
    growthBytes: fc.oneof(fc.constant(0), fc.integer({ min: -1e9, max: 1e11 })),
  });
  type History = readonly { gapMs: number; growthBytes: number }[];
  const polls = fc.array(poll, { minLength: 1, maxLength: 60 });
  const left = fc.double({ min: 1, max: 1e15, noNaN: true });

  /** Returns the rates at the last poll, after an idle day or after weeks with weekends. */
  const observed = (history: History, isWeekly: boolean, scale = 1) => {
    let rates = isWeekly ? weekdays(3, 4 * 7 * DAY, scale) : newRates(START);
    let at = Math.max(rates.at, START + DAY);
    for (const { gapMs, growthBytes } of history) {
      rates = observe(rates, growthBytes * scale, at, at + gapMs);
      at += gapMs;
    }
    return { rates, at };
  };

  it('no forecast lies in the past', () => {
    fc.assert(
      fc.property(polls, left, fc.boolean(), (history, bytes, isWeekly) => {
        const { rates, at } = observed(history, isWeekly);
        expect(forecastExhaustion(rates, bytes, at) ?? at).toBeGreaterThanOrEqual(at);
      }),
    );
  });

  it('more left lasts longer', () => {
    fc.assert(
      fc.property(
        polls,
        left,
        fc.boolean(),
        fc.double({ min: 1.01, max: 100, noNaN: true }),
        (history, bytes, isWeekly, factor) => {
          const { rates, at } = observed(history, isWeekly);
          const later = forecastExhaustion(rates, bytes * factor, at);
          fc.pre(later !== undefined);
          expect(later).toBeGreaterThanOrEqual(
            forecastExhaustion(rates, bytes, at) ?? Number.POSITIVE_INFINITY,
          );
        },
      ),
    );
  });

  it('the unit of bytes does not matter', () => {
    fc.assert(
      fc.property(
        polls,
        left,
        fc.boolean(),
        fc.constantFrom(1 / 1024, 8, 1024),
        (history, bytes, isWeekly, scale) => {
          const { rates, at } = observed(history, isWeekly);
          const scaled = observed(history, isWeekly, scale);
          const one = forecastExhaustion(rates, bytes, at);
          const other = forecastExhaustion(scaled.rates, bytes * scale, at);
          expect(other === undefined).toBe(one === undefined);
          expect(Math.abs((other ?? 0) - (one ?? 0))).toBeLessThan(2);
        },
      ),
    );
  });
});

describe('the range of a forecast', () => {
  it('contains the forecast, and is empty only for a steady subject', () => {
    const growths = fc.array(fc.nat({ max: 1e9 }), { minLength: 30, maxLength: 200 });
    fc.assert(
      fc.property(growths, fc.integer({ min: 1, max: 1e12 }), (growth, leftBytes) => {
        let rates = newRates(START);
        let at = START;
        for (const bytes of growth) {
          rates = observe(rates, bytes, at, at + HOUR);
          at += HOUR;
        }
        const expected = forecastExhaustion(rates, leftBytes, at);
        const range = forecastRange(rates, leftBytes, at);
        expect(range === undefined).toBe(expected === undefined);
        if (expected === undefined || !range) return;
        expect(range.earliest).toBeLessThanOrEqual(expected);
        expect(range.latest ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(expected);
      }),
    );
    const steadyRange = forecastRange(steady(1_000, 3 * DAY), 1e9, START + 3 * DAY);
    const width = (steadyRange?.latest ?? Number.NaN) - (steadyRange?.earliest ?? Number.NaN);
    expect(width / (1e6 * SECOND)).toBeLessThan(0.01);
  });

  it('is as wide as the paces of the last hour and the last week differ', () => {
    let rates = steady(1_000, 3 * DAY);
    const at = START + 3 * DAY + HOUR;
    rates = observe(rates, 10_000 * 3_600, START + 3 * DAY, at);
    const { earliest = Number.NaN, latest = Number.NaN } = forecastRange(rates, 1e9, at) ?? {};
    const hoursUntil = (time: number): number => (time - at) / HOUR;
    // Half of the hourly rate is the last hour's 10,000 bytes per second, and the other half the 1,000 before.
    expect(hoursUntil(earliest)).toBeCloseTo(1e9 / 5_500 / 3_600, -1);
    expect(hoursUntil(latest)).toBeGreaterThan(200);
  });
});
