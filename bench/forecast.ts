// How wrong forecasts are: simulated subjects, polled every five minutes, as Markdown tables.

import { forecastExhaustion, newRates, observe, type Rates } from '../src/lib/forecast.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../src/lib/time.ts';
import { type UseSeen, useSeen } from '../src/store/usage.ts';
import { CHANGES, type Habit, RHYTHMS, WEEK_CHANGES, WEEKS } from './habits.ts';

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

/** One subject's errors; undefined where no forecast was given. */
const judge = (habit: Habit, measurement: Measurement, seed: number): (number | undefined)[] => {
  const { aheadMs, outageAt = Number.POSITIVE_INFINITY } = measurement;
  const [first, last] = habit.judged ?? measurement.judged;
  const total = simulate(habit, seed, last + aheadMs);
  const resetTotal = habit.resetAt === undefined ? 0 : totalAt(total, habit.resetAt);
  const errors: (number | undefined)[] = [];
  let rates = newRates(0);
  let polledAt = 0;
  let use: UseSeen = { used: 0, falls: [], growth: 0 };
  for (let at = POLL; at <= last; at += POLL) {
    if (at > outageAt && at < outageAt + OUTAGE) continue;
    const usedNow = totalAt(total, at) - (at < (habit.resetAt ?? last + 1) ? 0 : resetTotal);
    use = useSeen(use, usedNow, at);
    rates = observe(rates, use.growth, polledAt, at);
    polledAt = at;
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
const simulate = (
  { rate, isShifted, factor, isUneven }: Habit,
  seed: number,
  until: number,
): Float64Array => {
  const random = randomNumbers(seed);
  const bytesPerSecond = 10 ** (3 + 4 * random());
  const phase = isShifted ? Math.floor(random() * 7 * 24) * HOUR : 0;
  const total = new Float64Array(Math.ceil(until / POLL) + 1);
  let dayFactor = 1;
  for (let i = 1; i < total.length; i++) {
    const at = (i - 1) * POLL;
    if (isUneven && (at + phase) % DAY === 0) dayFactor = 2 ** (2 * random() - 1);
    const pace = rate(at + phase) * (factor?.(at) ?? 1) * dayFactor;
    const mean = (pace * bytesPerSecond * POLL) / SECOND;
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
  const weeks = (title: string, from: number, to: number, habits = WEEKS): string =>
    table(
      title,
      habits.map((habit) => row(habit, { judged: [from * DAY, to * DAY] })),
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
    weeks('a rhythm of the week in its second week', 7, 14),
    weeks('in its third week', 14, 21),
    weeks('any rhythm, seen for 21 to 35 d', 21, 35, [...RHYTHMS, ...WEEKS]),
    table(
      'weekdays 3 : weekend 1 for 28 d, then',
      WEEK_CHANGES.map((habit) => row(habit, settled)),
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
