// Tells when a maintenance window is in effect: exactly while the clocks of its time zone show its hours.

import { changeBetween, DAY, zoneOffset } from '../../lib/time.ts';
import { WEEKDAYS, type WindowOptions } from './window-options.ts';

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

/**
 * Returns the first instant after `at` at which it changes whether the window is in effect. Without a change in a month
 * there is none at all, so it returns Infinity.
 */
export const nextChange = (window: WindowSchedule, at: number): number => {
  const isNow = isInEffect(window, at);
  for (let next = at; next < at + HORIZON_MS; ) {
    next = nextLimit(window, next);
    if (isInEffect(window, next) !== isNow) return next;
  }
  return Number.POSITIVE_INFINITY;
};
