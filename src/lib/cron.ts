// Computes the slots of cron schedules. node-cron interprets the expressions; the search uses no system clock.

import { createTask, parse, type ScheduledTask } from 'node-cron';
import { changeIn, DAY, HOUR, instantsOf, MINUTE, SECOND, zoneOffset } from './time.ts';

/** How far ahead `next` searches. A 29 February that is a Monday may be 40 years away. */
const HORIZON = 41 * 366 * DAY;
/** Clocks change by at most this. */
const MAX_CHANGE = DAY;

/** A schedule in a time zone. node-cron rejects expressions without any slot, such as 30 February. */
export class Cron {
  readonly #zone: string;
  /**
   * Matches local times that are given as if they were UTC, so that it can also match a skipped time. A schedule with slots
   * on every day has none, because the first match takes 7 MB of memory for the calendars of Intl.
   */
  readonly #task: ScheduledTask | undefined;
  readonly #months: ReadonlySet<number>;
  readonly #hours: ReadonlySet<number>;
  readonly #minutes: ReadonlySet<number>;
  readonly #seconds: ReadonlySet<number>;

  /** `expression` must be valid and have 5 or 6 fields. */
  constructor(expression: string, zone: string) {
    const { month, dayOfMonth, dayOfWeek, hour, minute, second } = parse(expression);
    this.#zone = zone;
    if (!isEveryDay(dayOfMonth, dayOfWeek)) {
      this.#task = createTask(expression, () => {}, { timezone: 'UTC' });
      // node-cron keeps every task until it is destroyed. A destroyed task still matches.
      void this.#task.destroy();
    }
    this.#months = new Set(month);
    this.#hours = new Set(hour);
    this.#minutes = new Set(minute);
    this.#seconds = new Set(second);
  }

  /**
   * Returns the first slot after `after` (ms). Throws RangeError if there is none within 41 years. When clocks change, a
   * schedule with slots in the same or in the next hour follows the local time. Any other schedule has each of its slots
   * once: a skipped one at the change, and a repeated one the first time. Otherwise a daily run would be left out or
   * run twice.
   */
  next(after: number): number {
    return this.#isFrequent() ? this.#nextInstant(after) : this.#nextLocal(after);
  }

  /** Returns the gap (ms) between the first and the second slot after `at` (ms). */
  gap(at: number): number {
    const first = this.next(at);
    return this.next(first) - first;
  }

  #isFrequent(): boolean {
    const hasNextHour = [...this.#hours].some((hour) => this.#hours.has((hour + 1) % 24));
    return hasNextHour || this.#minutes.size * this.#seconds.size > 1;
  }

  #nextInstant(after: number): number {
    const end = after + HORIZON;
    for (let at = startOfNextSecond(after); at < end; ) {
      const local = at + zoneOffset(this.#zone, at);
      const step = this.#stepFrom(local);
      if (step === 0) return at;
      // The search advances by at most an hour, because a local day may have 23 hours.
      at += step > HOUR ? toNext(HOUR, local) : step;
    }
    throw noSlotError();
  }

  #nextLocal(after: number): number {
    const end = after + HORIZON;
    for (let local = this.#firstLocal(after); local < end; ) {
      const step = this.#stepFrom(local);
      const at = step === 0 ? this.#firstInstantOf(local) : after;
      if (at > after) return at;
      local += step || SECOND;
    }
    throw noSlotError();
  }

  /** Returns the first local time whose instant can be after `after`: an earlier one only if clocks have just changed. */
  #firstLocal(after: number): number {
    const offset = zoneOffset(this.#zone, after);
    const haveChanged = zoneOffset(this.#zone, after - MAX_CHANGE) !== offset;
    return startOfNextSecond(after) + offset - (haveChanged ? MAX_CHANGE : 0);
  }

  #firstInstantOf(local: number): number {
    return instantsOf(this.#zone, local)[0] ?? changeIn(this.#zone, local);
  }

  /** Returns 0 if `local` is a slot, otherwise how much later the first local time is that could be one. */
  #stepFrom(local: number): number {
    const date = new Date(local);
    const month = date.getUTCMonth();
    if (!this.#months.has(month + 1)) return Date.UTC(date.getUTCFullYear(), month + 1) - local;
    if (!this.#hours.has(date.getUTCHours())) return toNext(HOUR, local);
    if (!this.#minutes.has(date.getUTCMinutes())) return toNext(MINUTE, local);
    if (!this.#seconds.has(date.getUTCSeconds())) return toNext(SECOND, local);
    // Only the day can differ now.
    return (this.#task?.match(date) ?? true) ? 0 : toNext(DAY, local);
  }
}

/** Words such as `L` and `1#1` name single days. */
const isEveryDay = (ofMonth: readonly (number | string)[], ofWeek: readonly (number | string)[]): boolean =>
  countNumbers(ofMonth) === 31 && countNumbers(ofWeek) === 7;

const countNumbers = (days: readonly (number | string)[]): number =>
  new Set(days.filter((day) => typeof day === 'number')).size;

const toNext = (unit: number, at: number): number => Math.floor(at / unit) * unit + unit - at;

const startOfNextSecond = (at: number): number => at + toNext(SECOND, at);

const noSlotError = (): RangeError => new RangeError('the schedule has no slot in 41 years');

/** Whether a valid expression has any slot. `0 0 30 * 1#1` has none, because the first Monday is never the 30th. */
export const hasSlot = (expression: string): boolean => {
  try {
    return new Cron(expression, 'UTC').next(Date.UTC(2000, 0)) > 0;
  } catch {
    return false;
  }
};

const crons = new Map<string, Cron>();

/** Returns the schedule of an expression, which is parsed only once. */
export const cronOf = (expression: string, zone: string): Cron => {
  const key = `${zone} ${expression}`;
  const cron = crons.get(key) ?? new Cron(expression, zone);
  crons.set(key, cron);
  return cron;
};
