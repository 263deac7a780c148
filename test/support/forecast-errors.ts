// Measures the errors of forecasts for simulated subjects that are polled every five minutes, as Markdown tables.

import { randomNumbers } from '../../bench/harness.ts';
import { forecastExhaustion, newRates, observe, type Rates } from '../../src/lib/forecast.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { type ObservedUsage, observeUsage } from '../../src/store/usage.ts';
import {
  CHANGING_PATTERNS,
  CHANGING_WEEKLY_PATTERNS,
  DAILY_PATTERNS,
  type UsagePattern,
  WEEKLY_PATTERNS,
} from './usage-patterns.ts';

export interface Measurement {
  /** Times (ms) of the first and the last forecast that is evaluated. */
  readonly evaluatedRange: readonly [number, number];
  /** Time (ms) from which there are no polls for six hours. */
  readonly outageAt?: number;
  /** Each evaluated forecast is about a quota that is used up after this time (ms). */
  readonly aheadMs: number;
  readonly subjects: number;
}

/** Errors as shares of `aheadMs`. `coverage` is the share of the evaluated times that had a forecast. */
export interface ForecastErrors {
  readonly coverage: number;
  readonly median: number;
  readonly p90: number;
  readonly worst: number;
}

const POLL = 5 * MINUTE;
const OUTAGE = 6 * HOUR;
const EVALUATE_EVERY = 2 * HOUR;

/** Returns the errors of the forecasts for a usage pattern, over all subjects and times. */
export const measure = (pattern: UsagePattern, measurement: Measurement): ForecastErrors => {
  const readings = Array.from({ length: measurement.subjects }, (_, seed) =>
    evaluate(pattern, measurement, seed),
  );
  const errors = readings
    .flat()
    .filter((error) => error !== undefined)
    .sort((a, b) => a - b);
  const quantile = (share: number): number =>
    errors[Math.min(errors.length - 1, Math.floor(share * errors.length))] ?? Number.NaN;
  return {
    coverage: errors.length / readings.flat().length,
    median: quantile(0.5),
    p90: quantile(0.9),
    worst: quantile(1),
  };
};

/** Returns one subject's errors; undefined for each time without a forecast. */
const evaluate = (pattern: UsagePattern, measurement: Measurement, seed: number): (number | undefined)[] => {
  const { aheadMs, outageAt = Number.POSITIVE_INFINITY } = measurement;
  const [first, last] = pattern.evaluatedRange ?? measurement.evaluatedRange;
  const total = simulate(pattern, seed, last + aheadMs);
  const resetTotal = pattern.resetAt === undefined ? 0 : totalAt(total, pattern.resetAt);
  const errors: (number | undefined)[] = [];
  let rates = newRates(0);
  let polledAt = 0;
  let usage: ObservedUsage = { used: 0, falls: [], growth: 0 };
  for (let at = POLL; at <= last; at += POLL) {
    if (at > outageAt && at < outageAt + OUTAGE) continue;
    const usedNow = totalAt(total, at) - (at < (pattern.resetAt ?? last + 1) ? 0 : resetTotal);
    usage = observeUsage(usage, usedNow, at);
    rates = observe(rates, usage.growth, polledAt, at);
    polledAt = at;
    if (at >= first && at % EVALUATE_EVERY === 0) errors.push(errorOf(rates, total, at, aheadMs));
  }
  return errors;
};

const errorOf = (rates: Rates, total: Float64Array, at: number, aheadMs: number): number | undefined => {
  const usedNow = totalAt(total, at);
  const left = totalAt(total, at + aheadMs) - usedNow;
  // If the subject uses nothing more, its quota is never used up and any forecast is wrong.
  const forecast = forecastExhaustion(rates, left === 0 ? usedNow : left, at);
  if (forecast === undefined) return undefined;
  return left === 0 ? Number.POSITIVE_INFINITY : Math.abs(forecast - at - aheadMs) / aheadMs;
};

/** Returns the bytes used from the start to each poll. The usage of each interval is 0.5 to 1.5 times the mean. */
const simulate = (
  { rate, isShifted, factor, isUneven }: UsagePattern,
  seed: number,
  until: number,
): Float64Array => {
  const random = randomNumbers(seed * 0x9e3779b1);
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

const AHEAD_HOURS = [24, 36, 72];
const SUBJECTS = 20;

export const report = (): string => {
  const settled = { evaluatedRange: [7 * DAY, 14 * DAY] } as const;
  const outageAt = 7.5 * DAY;
  const afterOutage = { evaluatedRange: [outageAt + OUTAGE, outageAt + OUTAGE + DAY], outageAt } as const;
  const shortHistory = DAILY_PATTERNS.slice(0, 4).flatMap((pattern) =>
    [1, 2, 3].map((days) => {
      const name = `${pattern.name}, after ${days} to ${days + 1} days`;
      return row({ ...pattern, name }, { evaluatedRange: [days * DAY, (days + 1) * DAY] });
    }),
  );
  const weeks = (title: string, from: number, to: number, patterns = WEEKLY_PATTERNS): string =>
    table(
      title,
      patterns.map((pattern) => row(pattern, { evaluatedRange: [from * DAY, to * DAY] })),
    );
  return [
    table(
      'daily patterns, after 7 to 14 days',
      DAILY_PATTERNS.map((pattern) => row(pattern, settled)),
    ),
    table(
      'daily patterns, in the day after six hours without a poll',
      DAILY_PATTERNS.map((pattern) => row(pattern, afterOutage)),
    ),
    table('daily patterns, in the first days', shortHistory),
    table(
      'patterns that change after 7 days',
      CHANGING_PATTERNS.map((pattern) => row(pattern, settled)),
    ),
    weeks('weekly patterns, in the second week', 7, 14),
    weeks('weekly patterns, in the third week', 14, 21),
    weeks('all patterns, after 21 to 35 days', 21, 35, [...DAILY_PATTERNS, ...WEEKLY_PATTERNS]),
    table(
      'weekdays 3 : weekend 1 for 28 days, then',
      CHANGING_WEEKLY_PATTERNS.map((pattern) => row(pattern, settled)),
    ),
  ].join('\n\n');
};

const table = (title: string, rows: readonly string[]): string =>
  [
    `| ${[title, ...AHEAD_HOURS.map((hours) => `${hours} h ahead`)].join(' | ')} |`,
    `|---|${AHEAD_HOURS.map(() => '---|').join('')}`,
    ...rows,
  ].join('\n');

const row = (pattern: UsagePattern, measurement: Omit<Measurement, 'aheadMs' | 'subjects'>): string => {
  const cells = AHEAD_HOURS.map((hours) =>
    cell(measure(pattern, { ...measurement, aheadMs: hours * HOUR, subjects: SUBJECTS })),
  );
  return `| ${[pattern.name, ...cells].join(' | ')} |`;
};

const cell = ({ coverage: given, median, p90, worst }: ForecastErrors): string =>
  given === 0
    ? 'no forecast'
    : `${[median, p90, worst].map((share) => (100 * share).toFixed(0)).join(' / ')}%`;
