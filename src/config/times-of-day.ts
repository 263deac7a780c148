// Parses ranges of times of the day, such as a maintenance window from 22:30 to 02.

import { HOUR, MINUTE } from '../lib/time.ts';
import { parsedText } from './parsed-text.ts';

/** Local times (ms since midnight) from the start of `from` to the start of `to`; the range crosses midnight if `from` is later. */
export interface TimesOfDay {
  /** Less than a day. */
  readonly from: number;
  /** More than 0, and at most a day. */
  readonly to: number;
}

const PATTERN = /^([01]\d|2[0-3])(?::([0-5]\d))?-(?:([01]\d|2[0-3])(?::([0-5]\d))?|24(?::00)?)$/;

/** Schema of times written like 02-04, or 22:30-02 across midnight; 00-24 is the whole day. */
export const timesOfDay = () =>
  parsedText('hours of the day such as 02-04, 22:30-02 or 00-24', parseTimesOfDay).meta({
    description: 'Hours of the day such as 02-04, 22:30-02 or 00-24.',
    pattern: PATTERN.source,
    examples: ['02-04', '22:30-02'],
  });

const parseTimesOfDay = (text: string): TimesOfDay | undefined => {
  const match = PATTERN.exec(text);
  if (!match) return undefined;
  const [, fromHour, fromMinute, toHour = '24', toMinute] = match;
  const [from, to] = [timeOf(fromHour, fromMinute), timeOf(toHour, toMinute)];
  return from === to || to === 0 ? undefined : { from, to };
};

const timeOf = (hour: string | undefined, minute = '0'): number =>
  Number(hour) * HOUR + Number(minute) * MINUTE;
