// Ways of using bytes that forecasts are judged by.

import { DAY, HOUR } from '../src/lib/time.ts';

/** A way of using bytes; times are ms from the start of the observation, before a subject's own phase. */
export interface Habit {
  readonly name: string;
  /** Mean use at a time, relative to the subject's own size. */
  readonly rate: (at: number) => number;
  /** Whether subjects live in different phases of the rhythm: its days and weekends begin at any hour of the week, as in any zone. */
  readonly isShifted?: boolean;
  /** By what the use of a time is multiplied, whatever the phase. */
  readonly factor?: (at: number) => number;
  /** Whether each day's use is multiplied by a factor of its own between a half and two. */
  readonly isUneven?: boolean;
  /** When the provider sets the used bytes back to 0. */
  readonly resetAt?: number;
  /** First and last forecast that is judged, when not those of the measurement. */
  readonly judged?: readonly [number, number];
}

/** When habits change that do: by then a whole week has been seen. */
const CHANGE = 7 * DAY;

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
    at < CHANGE ? before : after;

const afterChange = (from: number, to: number) => [CHANGE + from, CHANGE + to] as const;

export const RHYTHMS: readonly Habit[] = [
  { name: 'steady', rate: () => 1 },
  { name: 'day 3 : night 1', rate: daily(3), isShifted: true },
  { name: 'day 10 : night 1', rate: daily(10), isShifted: true },
  { name: 'eight hours 10 : rest 1', rate: daily(10, 8 * HOUR), isShifted: true },
];

const weekdays3 = { rate: weekly(3), isShifted: true } as const;

/** Rhythms of the week, which need more of a history. */
export const WEEKS: readonly Habit[] = [
  { name: 'weekdays 2 : weekend 1', rate: weekly(2), isShifted: true },
  { name: 'weekdays 3 : weekend 1', ...weekdays3 },
  { name: 'weekdays 10 : weekend 1', rate: weekly(10), isShifted: true },
  { name: 'six days 3 : Sunday 1', rate: weekly(3, 1), isShifted: true },
  { name: 'weekdays 3 : weekend 1, day 3 : night 1', rate: both(weekly(3), daily(3)), isShifted: true },
  {
    name: 'weekdays 3 : weekend 1, eight hours 10 : rest 1',
    rate: both(weekly(3), daily(10, 8 * HOUR)),
    isShifted: true,
  },
  { name: 'weekdays 10 : weekend 1, day 10 : night 1', rate: both(weekly(10), daily(10)), isShifted: true },
  { name: 'steady, but days differ up to fourfold', rate: () => 1, isUneven: true },
  { name: 'weekdays 3 : weekend 1, but days differ up to fourfold', ...weekdays3, isUneven: true },
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

const KNOWN = 28 * DAY;
const afterKnown = (from: number, to: number) => [KNOWN + from, KNOWN + to] as const;

/** Weekdays 3 : weekend 1 for four weeks, and then something else. */
export const WEEK_CHANGES: readonly Habit[] = [
  {
    name: 'ten times as much: 2 to 12 h of it',
    ...weekdays3,
    factor: (at) => (at < KNOWN ? 1 : 10),
    judged: afterKnown(2 * HOUR, 12 * HOUR),
  },
  {
    name: 'ten times as much for a day: a day to two weeks later',
    ...weekdays3,
    factor: (at) => (at >= KNOWN && at < KNOWN + DAY ? 10 : 1),
    judged: afterKnown(2 * DAY, 15 * DAY),
  },
  {
    name: 'a week of holidays: two days to two weeks later',
    ...weekdays3,
    factor: (at) => (at >= KNOWN && at < KNOWN + 7 * DAY ? 0 : 1),
    judged: afterKnown(9 * DAY, 21 * DAY),
  },
  { name: 'reset: the two days after', ...weekdays3, resetAt: KNOWN, judged: afterKnown(0, 2 * DAY) },
  {
    name: 'stopped: from 37 h on',
    ...weekdays3,
    factor: (at) => (at < KNOWN ? 1 : 0),
    judged: afterKnown(37 * HOUR, 14 * DAY),
  },
];

function both(one: Habit['rate'], other: Habit['rate']): Habit['rate'] {
  return (at) => one(at) * other(at);
}

function topUp(at: number): number {
  return at >= CHANGE - 12 * HOUR && at < CHANGE ? 0 : 1;
}
