// Finds the week or month that a report is about, and makes the entries of its days that are not known.

import { type Period, periodWith, type ReportUnit } from '../../../lib/calendar.ts';
import { localDayOf, startOfLocalDay } from '../../../lib/local-days.ts';
import { DAY, HOUR } from '../../../lib/time.ts';
import { unknown } from '../invoice/invoice-json.ts';
import type { UnknownOfReport } from './report-json.ts';

/** What is asked for: the week or month that has the date (`YYYY-MM-DD`), or the newest one that is over. */
export interface RequestedPeriod {
  readonly unit: ReportUnit;
  readonly date?: string | undefined;
}

export const periodOf = ({ unit, date }: RequestedPeriod, zone: string, now: number): Period =>
  date === undefined
    ? periodBefore(periodWith(unit, localDayOf(zone, now), zone), zone)
    : periodWith(unit, Date.parse(date) / DAY, zone);

export const periodBefore = ({ unit, dates }: Period, zone: string): Period =>
  periodWith(unit, Date.parse(dates[0] ?? '') / DAY - 1, zone);

/** Returns when the day of this date begins (ms). */
export const startOfDate = (zone: string, date: string): number =>
  startOfLocalDay(zone, Date.parse(date) / DAY);

/** Returns the dates of the days that begin more than an hour before this time (ms). */
export const daysBefore = ({ dates }: Period, zone: string, at: number): string[] =>
  dates.filter((date) => startOfDate(zone, date) < at - HOUR);

/** Returns no entry for no days. */
export const whereAny = (
  part: UnknownOfReport[number]['part'],
  message: string,
  dates: readonly string[],
): UnknownOfReport => (dates.length > 0 ? [unknown(part, message, dates)] : []);
