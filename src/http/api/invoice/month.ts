// Names the months and weeks of a time zone, and divides them into days.

import { endOfLocalDay, localDayOf, startOfLocalDay } from '../../../lib/local-days.ts';
import { DAY } from '../../../lib/time.ts';

/** A period of whole days. */
export interface Period {
  readonly unit: 'month' | 'week';
  /** As `YYYY-MM`; of a week, its first date. */
  readonly name: string;
  /** The dates of its days, as `YYYY-MM-DD`. */
  readonly dates: readonly string[];
  /** Its bounds (ms), with an exclusive `to`. */
  readonly from: number;
  readonly to: number;
}

/** Months of this century. */
export const MONTH_NAME = /^20\d\d-(?:0[1-9]|1[0-2])$/;

export const monthOf = (name: string, zone: string): Period => {
  const [year = 0, month = 0] = name.split('-').map(Number);
  const [first, next] = [Date.UTC(year, month - 1), Date.UTC(year, month)];
  return periodOf('month', name, [first / DAY, next / DAY], zone);
};

/** Returns the week, from Monday on, that has the day with this number; see local-days.ts. */
export const weekOf = (day: number, zone: string): Period => {
  const first = day - ((((day + DAYS_TO_MONDAY) % 7) + 7) % 7);
  return periodOf('week', dateOf(first * DAY), [first, first + 7], zone);
};

/** Day 0 was a Thursday. */
const DAYS_TO_MONDAY = 3;

const periodOf = (
  unit: Period['unit'],
  name: string,
  [first, next]: readonly [first: number, next: number],
  zone: string,
): Period => ({
  ...{ unit, name },
  dates: Array.from({ length: next - first }, (_, index) => dateOf((first + index) * DAY)),
  from: startOfLocalDay(zone, first),
  to: startOfLocalDay(zone, next),
});

/** Returns the name of the newest month that is over at the instant `now` (ms). */
export const lastMonth = (zone: string, now: number): string => {
  const today = new Date(localDayOf(zone, now) * DAY);
  return dateOf(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 1)).slice(0, 'YYYY-MM'.length);
};

/** Returns the dates whose days end at `now` (ms) or before it. */
export const datesUntil = ({ dates }: Period, zone: string, now: number): string[] =>
  dates.filter((date) => endOfDate(zone, date) <= now);

/** Returns when the day of this date ends (ms). */
export const endOfDate = (zone: string, date: string): number => endOfLocalDay(zone, Date.parse(date) / DAY);

const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 'YYYY-MM-DD'.length);
