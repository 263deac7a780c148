// Defines the schemas of cron schedules and time zones.

import cron from 'node-cron';
import { z } from 'zod';
import { hasSlot } from '../lib/cron.ts';
import { parsedText } from './parsed-text.ts';

/** Schema of a cron expression for node-cron: 5 fields, or 6 with seconds first. */
export const cronExpression = () =>
  z
    .string({ error: `expected ${SCHEDULE}` })
    .refine(isCronExpression, {
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

const isCronExpression = (text: string): boolean => cron.validateDetailed(text).valid && hasSlot(text);

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

/**
 * Asking Intl takes a millisecond, and each account has the same few zones. The first question takes 7 MB of memory, so it
 * is not asked about the default.
 */
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
