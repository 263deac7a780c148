// Defines the configuration of maintenance windows, which mute alerts at the same times every week.

import { z } from 'zod';
import { timeZone } from '../../config/time.ts';
import { timesOfDay } from '../../config/times-of-day.ts';

/** In the order of the numbers of weekdays. */
export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

const maintenanceWindow = z.strictObject({
  name: z
    .string()
    .regex(/^[\w.-]{1,64}$/, 'expected letters, digits, dots, dashes or underscores')
    .describe('Name of the window on the status page and in the API'),
  days: z
    .array(z.enum(WEEKDAYS, { error: `expected one of ${WEEKDAYS.join(', ')}` }))
    .min(1, 'expected at least one day; leave the setting out for every day')
    .optional()
    .describe('Days on which the window begins. The default is every day'),
  hours: timesOfDay().describe(
    'Times of the day from the start to the end of the window, in its time_zone. A window such as 22-02 ends on the next day',
  ),
  time_zone: timeZone()
    .optional()
    .describe('Time zone of the window. The default is the global schedule_time_zone'),
  accounts: z
    .array(z.string())
    .min(1, 'expected at least one account; leave the setting out for all accounts')
    .optional()
    .describe('Accounts whose alerts are muted. The default is all accounts, and the daemon itself'),
  alerts: z
    .array(z.string())
    .min(1, 'expected at least one alert; leave the setting out for all alerts')
    .optional()
    .describe('Alerts that are muted. The default is all alerts'),
});

export const windowOptions = z
  .array(maintenanceWindow)
  .prefault([])
  .describe('Weekly periods in which proxywatch sends no notifications about alerts');

export type WindowOptions = z.output<typeof windowOptions>[number];
