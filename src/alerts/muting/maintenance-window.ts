// Defines maintenance windows, which mute alerts in the same hours of a time zone every week, and when they are in effect.

import { z } from 'zod';
import { describeUnknownName } from '../../config/closest-match.ts';
import { mistakeIf, type Path, type SettingMistake } from '../../config/config-error.ts';
import { identifier } from '../../config/primitives.ts';
import { timesOfDay, timeZone } from '../../config/time.ts';
import { changeBetween, DAY, zoneOffset } from '../../lib/time.ts';
import { mutableAlerts } from '../alert.ts';
import { ALERTS } from '../table.ts';

/** In the order of the numbers of weekdays. */
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

const maintenanceWindow = z.strictObject({
  name: identifier().describe('Name of the window on the status page and in the API'),
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
export type MaintenanceWindow = WindowOptions & { readonly time_zone: string };

/** Returns what the schema cannot find: repeated names, and unknown accounts and alerts. The paths start at the list. */
export const windowMistakes = (
  windows: readonly WindowOptions[],
  accounts: readonly string[],
): SettingMistake[] => {
  const alerts = mutableAlerts(ALERTS);
  return windows.flatMap((window, index) => [
    ...mistakeIf(
      windows.findIndex(({ name }) => name === window.name) !== index,
      [index, 'name'],
      `another window has the name "${window.name}" already`,
    ),
    ...unknownNames(window.accounts, accounts, [index, 'accounts']),
    ...unknownNames(window.alerts, alerts, [index, 'alerts']),
  ]);
};

const unknownNames = (
  names: readonly string[] = [],
  known: readonly string[],
  path: Path,
): SettingMistake[] =>
  names.flatMap((name, index) =>
    mistakeIf(!known.includes(name), [...path, index], describeUnknownName(name, known)),
  );

export type WindowSchedule = Pick<WindowOptions, 'days' | 'hours'> & { readonly time_zone: string };

/** How far ahead ends and starts are searched (ms). */
export const HORIZON_MS = 31 * DAY;

/** 1970-01-01 was a Thursday. */
const FIRST_WEEKDAY = 4;

const beginsOn = (day: number, { days }: WindowSchedule): boolean => {
  const weekday = WEEKDAYS[(day + FIRST_WEEKDAY) % WEEKDAYS.length];
  return !days || (weekday !== undefined && days.includes(weekday));
};

/** Returns the number of the local day, and the time on it (ms since midnight). */
const localTime = (zone: string, at: number): { readonly day: number; readonly time: number } => {
  const local = at + zoneOffset(zone, at);
  const day = Math.floor(local / DAY);
  return { day, time: local - day * DAY };
};

/** Whether the window is in effect at `at`. A window that crosses midnight belongs to the day on which it begins. */
export const isInEffect = (window: WindowSchedule, at: number): boolean => {
  const { day, time } = localTime(window.time_zone, at);
  const { from, to } = window.hours;
  if (from < to) return time >= from && time < to && beginsOn(day, window);
  return (time >= from && beginsOn(day, window)) || (time < to && beginsOn(day - 1, window));
};

/** Returns the next instant at which the window may begin or end: a limit of its hours, midnight, or a change of clocks. */
const nextLimit = ({ time_zone, hours }: WindowSchedule, at: number): number => {
  const { time } = localTime(time_zone, at);
  const limit = Math.min(...[hours.from, hours.to, DAY].filter((each) => each > time));
  const reached = at + limit - time;
  return changeBetween(time_zone, at, reached) ?? reached;
};

/** Returns the first instant after `at` when the window begins or ends; Infinity without a change in a month. */
export const nextChange = (window: WindowSchedule, at: number): number => {
  const isNow = isInEffect(window, at);
  for (let next = at; next < at + HORIZON_MS; ) {
    next = nextLimit(window, next);
    if (isInEffect(window, next) !== isNow) return next;
  }
  return Number.POSITIVE_INFINITY;
};
