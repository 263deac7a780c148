// Names the months, weeks and days of a time zone, and divides them into days.

import { endOfLocalDay, localDayOf, startOfLocalDay } from './local-days.ts';
import { DAY } from './time.ts';

export const REPORT_UNITS = ['week', 'month'] as const;
export type ReportUnit = (typeof REPORT_UNITS)[number];

export const PERIOD_UNITS = ['day', 'week', 'month'] as const;
export type PeriodUnit = (typeof PERIOD_UNITS)[number];

export interface Period<U extends PeriodUnit = ReportUnit> {
  readonly unit: U;
  /** As `YYYY-MM`; of a week or a day, its first date. */
  readonly name: string;
  /** The dates of its days, as `YYYY-MM-DD`. */
  readonly dates: readonly string[];
  /** Its bounds (ms), with an exclusive `to`. */
  readonly from: number;
  readonly to: number;
}

/** Months of this century. */
export const MONTH_NAME = /^20\d\d-(?:0[1-9]|1[0-2])$/;

export const monthOf = (name: string, zone: string): Period<'month'> =>
  periodWith('month', Date.parse(`${name}-01`) / DAY, zone);

/** Returns the day, the week from Monday on, or the month that has the day with this number; see local-days.ts. */
export const periodWith = <U extends PeriodUnit>(unit: U, day: number, zone: string): Period<U> => {
  const [first, next] = boundsOf(unit, day);
  const dates = Array.from({ length: next - first }, (_, index) => dateOf((first + index) * DAY));
  return {
    unit,
    name: dateOf(first * DAY).slice(0, unit === 'month' ? 'YYYY-MM'.length : undefined),
    dates,
    from: startOfLocalDay(zone, first),
    to: startOfLocalDay(zone, next),
  };
};

/** Day 0 was a Thursday. */
const DAYS_TO_MONDAY = 3;

const boundsOf = (unit: PeriodUnit, day: number): readonly [first: number, next: number] => {
  if (unit === 'day') return [day, day + 1];
  const monday = day - ((((day + DAYS_TO_MONDAY) % 7) + 7) % 7);
  if (unit === 'week') return [monday, monday + 7];
  const date = new Date(day * DAY);
  const monthAt = (months: number): number =>
    Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months) / DAY;
  return [monthAt(0), monthAt(1)];
};

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
