// Splits a time range into days of the provider's zone.

import { bucketEnd, bucketStart, DAY } from '../../lib/time.ts';
import { formatLocal, instantOf, parseLocal } from '../../provider/time.ts';

export interface Day {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** The bounds (ms), with an exclusive `end`. A day has 23 to 25 hours. */
  readonly start: number;
  readonly end: number;
}

/** Returns the days that lie completely within [from, to) (ms), in order of time. */
export const daysWithin = (zone: string, from: number, to: number): Day[] => {
  const days: Day[] = [];
  const first = bucketStart(zone, from, DAY);
  for (let start = first < from ? bucketEnd(zone, first, DAY) : first; ; ) {
    const end = bucketEnd(zone, start, DAY);
    if (end > to) return days;
    days.push({ date: formatLocal(start, zone).slice(0, 10), start, end });
    start = end;
  }
};

/** Returns the days from the date `from` to `to` that are over at `now` (ms); all until then if `to` is undefined. */
export const daysOver = (zone: string, from: string, to: string | undefined, now: number): Day[] => {
  const midnight = (date: string, days = 0): number =>
    instantOf((parseLocal(date) ?? Number.NaN) + days * DAY, zone);
  return daysWithin(zone, midnight(from), to === undefined ? now : Math.min(midnight(to, 1), now));
};
