// Computes the slots of cron schedules. node-cron interprets the expressions; the search uses no system clock.

import { createTask, parse, type ScheduledTask } from 'node-cron';
import { DAY, HOUR, MINUTE, SECOND, zoneOffset } from './time.ts';

/** How far ahead `next` searches. 29 February may be eight years away. */
const HORIZON_DAYS = 9 * 366;

/** A schedule in a time zone. node-cron rejects expressions without any slot, such as 30 February. */
export class Cron {
  readonly #zone: string;
  readonly #task: ScheduledTask;
  readonly #hours: ReadonlySet<number>;
  readonly #minutes: ReadonlySet<number>;
  readonly #seconds: ReadonlySet<number>;

  /** `expression` must be valid and have 5 or 6 fields. */
  constructor(expression: string, zone: string) {
    const { hour, minute, second } = parse(expression);
    this.#zone = zone;
    this.#task = createTask(expression, () => {}, { timezone: zone });
    this.#hours = new Set(hour);
    this.#minutes = new Set(minute);
    this.#seconds = new Set(second);
  }

  /** Returns the first slot after `after` (ms). Throws RangeError if there is none within 9 years. */
  next(after: number): number {
    const end = after + HORIZON_DAYS * DAY;
    for (let at = Math.floor(after / SECOND) * SECOND + SECOND; at < end; ) {
      const next = this.#skip(at);
      if (next === at) return at;
      at = next;
    }
    throw new RangeError('the schedule has no slot in years');
  }

  /** Returns the gap (ms) between the first and the second slot after `at` (ms). */
  gap(at: number): number {
    const first = this.next(at);
    return this.next(first) - first;
  }

  /** Returns `at` if it is a slot, otherwise the first later instant that could be one. */
  #skip(at: number): number {
    const local = at + zoneOffset(this.#zone, at);
    const skipTo = (unit: number): number => at + unit - (local % unit);
    if (!this.#hours.has(Math.floor(local / HOUR) % 24)) return skipTo(HOUR);
    if (!this.#minutes.has(Math.floor(local / MINUTE) % 60)) return skipTo(MINUTE);
    if (!this.#seconds.has(Math.floor(local / SECOND) % 60)) return skipTo(SECOND);
    // node-cron decides about days and months. The search advances by an hour, because a local day may have 23 hours.
    return this.#task.match(new Date(at)) ? at : skipTo(HOUR);
  }
}

const crons = new Map<string, Cron>();

/** Returns the schedule of an expression, which is parsed only once. */
export const cronOf = (expression: string, zone: string): Cron => {
  const key = `${zone} ${expression}`;
  const cron = crons.get(key) ?? new Cron(expression, zone);
  crons.set(key, cron);
  return cron;
};
