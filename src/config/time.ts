// Defines the schemas of cron schedules, time zones, and hours of the day, such as a window from 22:30 to 02.

import cron from 'node-cron';
import { z } from 'zod';
import { hasSlot } from '../lib/cron.ts';
import { HOUR, MINUTE } from '../lib/time.ts';
import { parsedText } from './parsed-text.ts';

/** Schema of a cron expression for node-cron: 5 fields, or 6 with seconds first. */
export const cronExpression = () =>
  z
    .string({ error: `expected ${SCHEDULE}` })
    .refine((text) => cron.validateDetailed(text).valid && hasSlot(text), {
      error: ({ input }) => `expected ${SCHEDULE}${invalidFieldsOf(String(input))}`,
    })
    .meta({
      description: 'A cron expression of 5 fields, or 6 with seconds first.',
      examples: ['*/5 * * * *'],
    });

/** Schema of an IANA time zone that this Node.js knows. */
export const timeZone = () =>
  parsedText('an IANA time zone such as UTC or Europe/Paris', parseTimeZone).meta({
    description: 'An IANA time zone.',
    examples: ['UTC', 'Europe/Paris'],
  });

const SCHEDULE = 'a cron expression of 5 or 6 fields such as "*/5 * * * *"';

/** Names the invalid fields; if the number of fields is wrong, there are none to name. */
const invalidFieldsOf = (text: string): string => {
  const names = cron.validateDetailed(text).errors.flatMap(({ field }) => FIELDS[field] ?? []);
  return names.length === 0 ? '' : ` with a valid ${names.join(' and ')}`;
};

const FIELDS: Partial<Record<string, string>> = {
  second: 'second',
  minute: 'minute',
  hour: 'hour',
  dayOfMonth: 'day of month',
  month: 'month',
  dayOfWeek: 'day of week',
};

/** Intl takes a millisecond, and accounts have few zones. Its first answer takes 7 MB, so nobody asks about the default. */
const knownZones = new Set(['UTC']);

const parseTimeZone = (name: string): string | undefined => {
  if (knownZones.has(name)) return name;
  // Intl also accepts offsets such as +02:00, which have no daylight saving time.
  if (!/^[A-Za-z]/.test(name)) return undefined;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    knownZones.add(name);
    return name;
  } catch {
    return undefined;
  }
};

/** Local hours from the start of `from` to the start of `to`; the range crosses midnight if `from` is later. */
export interface Hours {
  /** 0 to 23. */
  readonly from: number;
  /** 1 to 24. */
  readonly to: number;
}

const PATTERN = /^([01]\d|2[0-3])-([01]\d|2[0-4])$/;

/** Schema of hours written like 08-20, or 22-06 across midnight; 00-24 is the whole day. */
export const hours = () =>
  parsedText('hours of the day such as 08-20, 22-06 or 00-24', parseHours).meta({
    description: 'Hours of the day such as 08-20, 22-06 or 00-24.',
    pattern: PATTERN.source,
    examples: ['08-20', '00-24'],
  });

const parseHours = (text: string): Hours | undefined => {
  const [, from, to] = PATTERN.exec(text) ?? [];
  if (from === undefined || to === undefined || from === to || to === '00') return undefined;
  return { from: Number(from), to: Number(to) };
};

export const hourCount = ({ from, to }: Hours): number => (to > from ? to - from : to + 24 - from);

/** Local times (ms since midnight) from the start of `from` to the start of `to`; the range crosses midnight if `from` is later. */
interface TimesOfDay {
  /** Less than a day. */
  readonly from: number;
  /** More than 0, and at most a day. */
  readonly to: number;
}

const TIMES_PATTERN = /^([01]\d|2[0-3])(?::([0-5]\d))?-(?:([01]\d|2[0-3])(?::([0-5]\d))?|24(?::00)?)$/;

/** Schema of times written like 02-04, or 22:30-02 across midnight; 00-24 is the whole day. */
export const timesOfDay = () =>
  parsedText('hours of the day such as 02-04, 22:30-02 or 00-24', parseTimesOfDay).meta({
    description: 'Hours of the day such as 02-04, 22:30-02 or 00-24.',
    pattern: TIMES_PATTERN.source,
    examples: ['02-04', '22:30-02'],
  });

const parseTimesOfDay = (text: string): TimesOfDay | undefined => {
  const match = TIMES_PATTERN.exec(text);
  if (!match) return undefined;
  const [, fromHour, fromMinute, toHour = '24', toMinute] = match;
  const [from, to] = [timeOf(fromHour, fromMinute), timeOf(toHour, toMinute)];
  return from === to || to === 0 ? undefined : { from, to };
};

const timeOf = (hour: string | undefined, minute = '0'): number =>
  Number(hour) * HOUR + Number(minute) * MINUTE;
