// Divides the time that is not counted yet into windows.

import { DAY, HOUR, instantsOf, MINUTE, zoneOffset } from '../../lib/time.ts';
import type { LogWindow } from '../../store/request-log-store.ts';

/** The provider keeps rows for 7 days. Older ones may be removed while they are counted. */
const KEPT_MS = 7 * DAY - HOUR;

/** Returns the last minute that has settled and whose local time is no other instant. */
export const settledTo = (now: number, settleMs: number, zone: string): number => {
  let at = Math.floor((now - settleMs) / MINUTE) * MINUTE;
  while (!isUnique(at, zone)) at -= MINUTE;
  return at;
};

/** Returns the time that is lost, because the provider does not have its rows any more; undefined if there is none. */
export const lostWindow = (countedTo: number, now: number, zone: string): LogWindow | undefined => {
  let from = Math.ceil((now - KEPT_MS) / MINUTE) * MINUTE;
  while (!isUnique(from, zone)) from += MINUTE;
  return from > countedTo ? { from: countedTo, to: from } : undefined;
};

/**
 * Returns the next window: to the end of the hour or of `longest`, or to `end`. Filters are in local time, so a window contains
 * the whole time that clocks show twice, and is then longer. Undefined if there is none.
 */
export const nextWindow = (
  from: number,
  end: number,
  zone: string,
  longest = HOUR,
): LogWindow | undefined => {
  let to = Math.min(end, (Math.floor(from / longest) + 1) * longest);
  while (to < end && !isUnique(to, zone)) to += MINUTE;
  return to > from ? { from, to } : undefined;
};

/** Whether the local time is that of no other instant. */
const isUnique = (at: number, zone: string): boolean =>
  instantsOf(zone, at + zoneOffset(zone, at)).length === 1;
