// How wrong forecasts are: simulated subjects, polled every five minutes, as Markdown tables.

import { forecastExhaustion, newRates, observe, type Rates } from '../src/lib/forecast.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../src/lib/time.ts';
import { usageGrowth } from '../src/store/usage.ts';

/** A way of using bytes; times are ms from the start of the observation, before a subject's own phase. */
export interface Habit {
  readonly name: string;
  /** Mean use at a time, relative to the subject's own size. */
  readonly rate: (at: number) => number;
  /** Whether subjects live in different phases of the rhythm. */
  readonly isShifted?: boolean;
  /** When the provider sets the used bytes back to 0. */
  readonly resetAt?: number;
  /** First and last forecast that is judged, when not those of the measurement. */
  readonly judged?: readonly [number, number];
}

export interface Measurement {
  /** First and last forecast that is judged. */
  readonly judged: readonly [number, number];
  /** No poll is made from here for six hours. */
  readonly outageAt?: number;
  /** Judged is the forecast of what is used up this far ahead. */
  readonly aheadMs: number;
  readonly subjects: number;
}

/** Errors as shares of the time ahead; `given` is the share of readings that had a forecast. */
export interface Errors {
  readonly given: number;
  readonly median: number;
  readonly p90: number;
  readonly worst: number;
}

const POLL = 5 * MINUTE;
const OUTAGE = 6 * HOUR;
const JUDGE_EVERY = 2 * HOUR;
/** When habits change that do: by then a whole week has been seen. */
const CHANGE = 7 * DAY;

const daily =
  (ratio: number, busy = 12 * HOUR) =>
  (at: number): number =>
    at % DAY < busy ? ratio : 1;

const step =
  (before: number, after: number) =>
  (at: number): number =>
    at < CHANGE ? before : after;

const afterChange = (from: number, to: number) => [CHANGE + from, CHANGE + to] as const;

export const RHYTHMS: readonly Habit[] = [
  { name: 'steady', rate: () => 1 },
  { name: 'day 3 : night 1', rate: daily(3), isShifted: true },
  { name: 'day 10 : night 1', rate: daily(10), isShifted: true },
  { name: 'eight hours 10 : rest 1', rate: daily(10, 8 * HOUR), isShifted: true },
  { name: 'weekdays 3 : weekend 1', rate: (at) => (at % (7 * DAY) < 5 * DAY ? 3 : 1), isShifted: true },
];

/** Habits that change after a week. */
export const CHANGES: readonly Habit[] = [
  { name: 'idle, then a burst: 2 to 12 h of it', rate: step(0, 1), judged: afterChange(2 * HOUR, 12 * HOUR) },
  { name: 'idle, then a burst: 12 h to 3 d', rate: step(0, 1), judged: afterChange(12 * HOUR, 3 * DAY) },
  { name: 'idle, then a burst: 3 to 14 d', rate: step(0, 1), judged: afterChange(3 * DAY, 14 * DAY) },
  { name: 'three times as much: 12 h to 7 d', rate: step(1, 3), judged: afterChange(12 * HOUR, 7 * DAY) },
  { name: 'a third as much: 12 h to 7 d', rate: step(3, 1), judged: afterChange(12 * HOUR, 7 * DAY) },
  { name: 'used up for 12 h, topped up: the day after', rate: topUp, judged: afterChange(0, DAY) },
  { name: 'reset: the day after', rate: daily(3), resetAt: CHANGE, judged: afterChange(0, DAY) },
  { name: 'stopped: from 37 h on', rate: step(1, 0), judged: afterChange(37 * HOUR, 14 * DAY) },
];

/** Judges a habit's forecasts, over all subjects and times. */
export const measure = (habit: Habit, measurement: Measurement): Errors => {
  const readings = Array.from({ length: measurement.subjects }, (_, seed) => judge(habit, measurement, seed));
  const errors = readings
    .flat()
    .filter((error) => error !== undefined)
    .sort((a, b) => a - b);
  const quantile = (share: number): number =>
    errors[Math.min(errors.length - 1, Math.floor(share * errors.length))] ?? Number.NaN;
  return {
    given: errors.length / readings.flat().length,
    median: quantile(0.5),
    p90: quantile(0.9),
    worst: quantile(1),
  };
};

function topUp(at: number): number {
  return at >= CHANGE - 12 * HOUR && at < CHANGE ? 0 : 1;
}

/** One subject's errors; undefined where no forecast was given. */
const judge = (habit: Habit, measurement: Measurement, seed: number): (number | undefined)[] => {
  const { aheadMs, outageAt = Number.POSITIVE_INFINITY } = measurement;
  const [first, last] = habit.judged ?? measurement.judged;
  const total = simulate(habit, seed, last + aheadMs);
  const resetTotal = habit.resetAt === undefined ? 0 : totalAt(total, habit.resetAt);
  const errors: (number | undefined)[] = [];
  let rates = newRates(0);
  let polledAt = 0;
  let used = 0;
  for (let at = POLL; at <= last; at += POLL) {
    if (at > outageAt && at < outageAt + OUTAGE) continue;
    const usedNow = totalAt(total, at) - (at < (habit.resetAt ?? last + 1) ? 0 : resetTotal);
    rates = observe(rates, usageGrowth(used, usedNow), polledAt, at);
    polledAt = at;
    used = usedNow;
    if (at >= first && at % JUDGE_EVERY === 0) errors.push(errorOf(rates, total, at, aheadMs));
  }
  return errors;
};

const errorOf = (rates: Rates, total: Float64Array, at: number, aheadMs: number): number | undefined => {
  const usedNow = totalAt(total, at);
  const left = totalAt(total, at + aheadMs) - usedNow;
  // Who uses nothing more has plenty left, and any forecast is wrong.
  const forecast = forecastExhaustion(rates, left === 0 ? usedNow : left, at);
  if (forecast === undefined) return undefined;
  return left === 0 ? Number.POSITIVE_INFINITY : Math.abs(forecast - at - aheadMs) / aheadMs;
};

/** Bytes used from the start to every poll; each gap's use is between a half and one and a half of the mean. */
const simulate = ({ rate, isShifted }: Habit, seed: number, until: number): Float64Array => {
  const random = randomNumbers(seed);
  const bytesPerSecond = 10 ** (3 + 4 * random());
  const phase = isShifted ? Math.floor(random() * 7 * 24) * HOUR : 0;
  const total = new Float64Array(Math.ceil(until / POLL) + 1);
  for (let i = 1; i < total.length; i++) {
    const mean = (rate((i - 1) * POLL + phase) * bytesPerSecond * POLL) / SECOND;
    total[i] = (total[i - 1] ?? 0) + Math.round(mean * (0.5 + random()));
  }
  return total;
};

const totalAt = (total: Float64Array, at: number): number => total[Math.round(at / POLL)] ?? Number.NaN;

/** Numbers in [0, 1) that a seed always gives alike (mulberry32). */
const randomNumbers = (seed: number) => {
  let state = seed * 0x9e3779b1;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

const AHEAD_HOURS = [24, 36, 72];
const SUBJECTS = 20;

const report = (): string => {
  const settled = { judged: [7 * DAY, 14 * DAY] } as const;
  const outageAt = 7.5 * DAY;
  const afterOutage = { judged: [outageAt + OUTAGE, outageAt + OUTAGE + DAY], outageAt } as const;
  const young = RHYTHMS.slice(0, 4).flatMap((habit) =>
    [1, 2, 3].map((days) => {
      const name = `${habit.name}, seen for ${days} to ${days + 1} d`;
      return row({ ...habit, name }, { judged: [days * DAY, (days + 1) * DAY] });
    }),
  );
  return [
    table(
      'a habit seen for 7 to 14 d',
      RHYTHMS.map((habit) => row(habit, settled)),
    ),
    table(
      'the day after six hours without a poll',
      RHYTHMS.map((habit) => row(habit, afterOutage)),
    ),
    table('a young history', young),
    table(
      'a habit that changes after 7 d',
      CHANGES.map((habit) => row(habit, settled)),
    ),
  ].join('\n\n');
};

const table = (title: string, rows: readonly string[]): string =>
  [
    `| ${[title, ...AHEAD_HOURS.map((hours) => `${hours} h ahead`)].join(' | ')} |`,
    `|---|${AHEAD_HOURS.map(() => '---|').join('')}`,
    ...rows,
  ].join('\n');

const row = (habit: Habit, measurement: Omit<Measurement, 'aheadMs' | 'subjects'>): string => {
  const cells = AHEAD_HOURS.map((hours) =>
    cell(measure(habit, { ...measurement, aheadMs: hours * HOUR, subjects: SUBJECTS })),
  );
  return `| ${[habit.name, ...cells].join(' | ')} |`;
};

const cell = ({ given, median, p90, worst }: Errors): string =>
  given === 0
    ? 'none given'
    : `${[median, p90, worst].map((share) => (100 * share).toFixed(0)).join(' / ')} %`;

if (import.meta.main) console.log(report());
