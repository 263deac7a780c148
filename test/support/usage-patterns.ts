// Defines the usage patterns on which forecasts are evaluated.

import { DAY, HOUR } from '../../src/lib/time.ts';

/** A pattern of byte usage. Times are ms from the start of the observation, before a subject's phase is added. */
export interface UsagePattern {
  readonly name: string;
  /** Mean usage at a time, relative to the subject's size. */
  readonly rate: (at: number) => number;
  /** Whether each subject has a random phase, so that its days and weekends begin at any hour, as in any time zone. */
  readonly isShifted?: boolean;
  /** Factor of the usage at a time, independent of the phase. */
  readonly factor?: (at: number) => number;
  /** Whether each day's usage is multiplied by a random factor between 0.5 and 2. */
  readonly isUneven?: boolean;
  /** Time at which the provider resets the used bytes to 0. */
  readonly resetAt?: number;
  /** First and last forecast that is evaluated, if they differ from those of the measurement. */
  readonly evaluatedRange?: readonly [number, number];
}

/** Time at which a pattern changes, after a whole week of history. */
const CHANGE_AT = 7 * DAY;

const daily =
  (ratio: number, busy = 12 * HOUR) =>
  (at: number): number =>
    at % DAY < busy ? ratio : 1;

const weekly =
  (ratio: number, quietDays = 2) =>
  (at: number): number =>
    at % (7 * DAY) < (7 - quietDays) * DAY ? ratio : 1;

const step =
  (before: number, after: number) =>
  (at: number): number =>
    at < CHANGE_AT ? before : after;

const afterChange = (from: number, to: number) => [CHANGE_AT + from, CHANGE_AT + to] as const;

export const DAILY_PATTERNS: readonly UsagePattern[] = [
  { name: 'steady', rate: () => 1 },
  { name: 'day 3 : night 1', rate: daily(3), isShifted: true },
  { name: 'day 10 : night 1', rate: daily(10), isShifted: true },
  { name: 'eight hours 10 : rest 1', rate: daily(10, 8 * HOUR), isShifted: true },
];

const weekdays3 = { rate: weekly(3), isShifted: true } as const;

/** Weekly patterns, which need a longer history. */
export const WEEKLY_PATTERNS: readonly UsagePattern[] = [
  { name: 'weekdays 2 : weekend 1', rate: weekly(2), isShifted: true },
  { name: 'weekdays 3 : weekend 1', ...weekdays3 },
  { name: 'weekdays 10 : weekend 1', rate: weekly(10), isShifted: true },
  { name: 'six days 3 : Sunday 1', rate: weekly(3, 1), isShifted: true },
  { name: 'weekdays 3 : weekend 1, day 3 : night 1', rate: product(weekly(3), daily(3)), isShifted: true },
  {
    name: 'weekdays 3 : weekend 1, eight hours 10 : rest 1',
    rate: product(weekly(3), daily(10, 8 * HOUR)),
    isShifted: true,
  },
  {
    name: 'weekdays 10 : weekend 1, day 10 : night 1',
    rate: product(weekly(10), daily(10)),
    isShifted: true,
  },
  { name: 'steady, but days differ up to fourfold', rate: () => 1, isUneven: true },
  { name: 'weekdays 3 : weekend 1, but days differ up to fourfold', ...weekdays3, isUneven: true },
];

/** Patterns that change after a week. */
export const CHANGING_PATTERNS: readonly UsagePattern[] = [
  {
    name: 'idle, then a burst: 2 to 12 h after its start',
    rate: step(0, 1),
    evaluatedRange: afterChange(2 * HOUR, 12 * HOUR),
  },
  {
    name: 'idle, then a burst: 12 h to 3 days after its start',
    rate: step(0, 1),
    evaluatedRange: afterChange(12 * HOUR, 3 * DAY),
  },
  {
    name: 'idle, then a burst: 3 to 14 days after its start',
    rate: step(0, 1),
    evaluatedRange: afterChange(3 * DAY, 14 * DAY),
  },
  {
    name: 'three times as much: 12 h to 7 days later',
    rate: step(1, 3),
    evaluatedRange: afterChange(12 * HOUR, 7 * DAY),
  },
  {
    name: 'a third as much: 12 h to 7 days later',
    rate: step(3, 1),
    evaluatedRange: afterChange(12 * HOUR, 7 * DAY),
  },
  {
    name: 'used up for 12 h, then topped up: the day after',
    rate: topUp,
    evaluatedRange: afterChange(0, DAY),
  },
  { name: 'reset: the day after', rate: daily(3), resetAt: CHANGE_AT, evaluatedRange: afterChange(0, DAY) },
  {
    name: 'stopped: 37 h to 14 days later',
    rate: step(1, 0),
    evaluatedRange: afterChange(37 * HOUR, 14 * DAY),
  },
];

const WEEK_CHANGE_AT = 28 * DAY;
const afterWeekChange = (from: number, to: number) => [WEEK_CHANGE_AT + from, WEEK_CHANGE_AT + to] as const;

/** Patterns with weekdays 3 : weekend 1 for four weeks, and a change after that. */
export const CHANGING_WEEKLY_PATTERNS: readonly UsagePattern[] = [
  {
    name: 'ten times as much: 2 to 12 h after its start',
    ...weekdays3,
    factor: (at) => (at < WEEK_CHANGE_AT ? 1 : 10),
    evaluatedRange: afterWeekChange(2 * HOUR, 12 * HOUR),
  },
  {
    name: 'ten times as much for a day: one day to two weeks after it',
    ...weekdays3,
    factor: (at) => (at >= WEEK_CHANGE_AT && at < WEEK_CHANGE_AT + DAY ? 10 : 1),
    evaluatedRange: afterWeekChange(2 * DAY, 15 * DAY),
  },
  {
    name: 'a week without use: two days to two weeks after it',
    ...weekdays3,
    factor: (at) => (at >= WEEK_CHANGE_AT && at < WEEK_CHANGE_AT + 7 * DAY ? 0 : 1),
    evaluatedRange: afterWeekChange(9 * DAY, 21 * DAY),
  },
  {
    name: 'reset: the two days after',
    ...weekdays3,
    resetAt: WEEK_CHANGE_AT,
    evaluatedRange: afterWeekChange(0, 2 * DAY),
  },
  {
    name: 'stopped: 37 h to 14 days later',
    ...weekdays3,
    factor: (at) => (at < WEEK_CHANGE_AT ? 1 : 0),
    evaluatedRange: afterWeekChange(37 * HOUR, 14 * DAY),
  },
];

function product(one: UsagePattern['rate'], other: UsagePattern['rate']): UsagePattern['rate'] {
  return (at) => one(at) * other(at);
}

function topUp(at: number): number {
  return at >= CHANGE_AT - 12 * HOUR && at < CHANGE_AT ? 0 : 1;
}
