// Numbers the days of a time zone, and divides them into hours that begin with the day.

import { bucketEnd, bucketStart, DAY, HOUR, zoneOffset } from './time.ts';

/** An hour of a local day. A day has 23 to 25 hours, and the last one may be shorter. */
export interface LocalHour {
  /** The number of the local date: 0 is 1970-01-01. */
  readonly day: number;
  /** The hours of the day before it. */
  readonly index: number;
  /** When it begins (ms). */
  readonly start: number;
}

/** Returns the number of the local date at the instant `at` (ms). */
export const localDayOf = (zone: string, at: number): number => Math.floor((at + zoneOffset(zone, at)) / DAY);

/** Returns when the day begins (ms). It is a local midnight, or the end of the time that a clock change skips. */
export const startOfLocalDay = (zone: string, day: number): number => {
  // The middle of the day is within the day, whatever the offset was at its beginning.
  const middle = day * DAY + DAY / 2;
  return bucketStart(zone, middle - zoneOffset(zone, middle), DAY);
};

export const endOfLocalDay = (zone: string, day: number): number =>
  bucketEnd(zone, startOfLocalDay(zone, day), DAY);

export const localHourOf = (zone: string, at: number): LocalHour => {
  const dayStart = bucketStart(zone, at, DAY);
  const index = Math.floor((at - dayStart) / HOUR);
  return { day: localDayOf(zone, dayStart), index, start: dayStart + index * HOUR };
};

const hourBefore = (zone: string, { start }: LocalHour): LocalHour => localHourOf(zone, start - 1);

/** Returns the newest hour that has ended at the instant `at` (ms). */
export const lastEndedHour = (zone: string, at: number): LocalHour => hourBefore(zone, localHourOf(zone, at));

/** Returns the first and the last of the newest hours that have ended at the instant `at` (ms). */
export const lastEndedHours = (
  zone: string,
  at: number,
  count: number,
): Readonly<Record<'first' | 'last', LocalHour>> => {
  const last = lastEndedHour(zone, at);
  let first = last;
  for (let hours = 1; hours < count; hours += 1) first = hourBefore(zone, first);
  return { first, last };
};
