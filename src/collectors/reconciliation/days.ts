// Days of the provider's zone.

import { bucketEnd, bucketStart, DAY } from '../../lib/time.ts';
import { formatLocal } from '../../provider/time.ts';

export interface Day {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** Bounds (ms), `end` exclusive: 23 to 25 hours. */
  readonly start: number;
  readonly end: number;
}

/** The days that lie wholly within [from, to) (ms), in order of time. */
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
