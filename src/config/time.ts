// Schedules and time zones.

import cron from 'node-cron';
import { z } from 'zod';
import { parsedText } from './parsed-text.ts';

/** A cron expression as node-cron takes it: 5 fields, or 6 with seconds first. */
export const cronExpression = () =>
  z
    .string({ error: `expected ${SCHEDULE}` })
    .refine(isCronExpression, { error: ({ input }) => `expected ${SCHEDULE}${faultOf(String(input))}` })
    .meta({
      description: 'A cron expression of 5 fields, or 6 with seconds first.',
      examples: ['*/5 * * * *'],
    });

/** An IANA time zone that this Node.js knows. */
export const timeZone = () =>
  parsedText('an IANA time zone such as UTC or Europe/Paris', parseTimeZone).meta({
    description: 'An IANA time zone.',
    examples: ['UTC', 'Europe/Paris'],
  });

const SCHEDULE = 'a cron expression of 5 or 6 fields such as "*/5 * * * *"';

const isCronExpression = (text: string): boolean => cron.validateDetailed(text).valid;

/** Names the wrong fields; a wrong number of fields has none to name. */
const faultOf = (text: string): string => {
  const names = cron.validateDetailed(text).errors.flatMap(({ field }) => FIELDS[field] ?? []);
  return names.length === 0 ? '' : ` with a sound ${names.join(' and ')}`;
};

const FIELDS: Partial<Record<string, string>> = {
  second: 'second',
  minute: 'minute',
  hour: 'hour',
  dayOfMonth: 'day of month',
  month: 'month',
  dayOfWeek: 'day of week',
};

const parseTimeZone = (name: string): string | undefined => {
  // Intl takes offsets such as +02:00 too, which know no daylight saving.
  if (!/^[A-Za-z]/.test(name)) return undefined;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return name;
  } catch {
    return undefined;
  }
};
