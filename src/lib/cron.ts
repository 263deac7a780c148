// Schedules: node-cron says what an expression means, the instants are found on a clock of ours.

import { createTask, parse, type ScheduledTask } from 'node-cron';
import { DAY, HOUR, MINUTE, SECOND, zoneOffset } from './time.ts';

/** How far ahead a slot is looked for (29 February comes every eighth year at worst). */
const HORIZON_DAYS = 9 * 366;

/** A schedule in a time zone. node-cron refuses expressions that never come, such as 30 February. */
export class Cron {
  readonly #zone: string;
  readonly #task: ScheduledTask;
  readonly #hours: ReadonlySet<number>;
  readonly #minutes: ReadonlySet<number>;
  readonly #seconds: ReadonlySet<number>;

  /** A valid expression of 5 or 6 fields, in the time zone `zone`. */
  constructor(expression: string, zone: string) {
    const { hour, minute, second } = parse(expression);
    this.#zone = zone;
    this.#task = createTask(expression, () => {}, { timezone: zone });
    this.#hours = new Set(hour);
    this.#minutes = new Set(minute);
    this.#seconds = new Set(second);
  }

  /** The first slot after `after` (ms). */
  next(after: number): number {
    const end = after + HORIZON_DAYS * DAY;
    for (let at = Math.floor(after / SECOND) * SECOND + SECOND; at < end; ) {
      const next = this.#skip(at);
      if (next === at) return at;
      at = next;
    }
    throw new RangeError('the schedule has no slot in years');
  }

  /** The schedule's gap around `at` (ms): from the slot after it to the one after that. */
  gap(at: number): number {
    const first = this.next(at);
    return this.next(first) - first;
  }

  /** `at` itself when it is a slot, else the first later instant that could be one. */
  #skip(at: number): number {
    const local = at + zoneOffset(this.#zone, at);
    const skipTo = (unit: number): number => at + unit - (local % unit);
    if (!this.#hours.has(Math.floor(local / HOUR) % 24)) return skipTo(HOUR);
    if (!this.#minutes.has(Math.floor(local / MINUTE) % 60)) return skipTo(MINUTE);
    if (!this.#seconds.has(Math.floor(local / SECOND) % 60)) return skipTo(SECOND);
    // Days and months are node-cron's to judge. An hour at a time: a local day may have 23 of them.
    return this.#task.match(new Date(at)) ? at : skipTo(HOUR);
  }
}

const crons = new Map<string, Cron>();

/** The schedule of an expression, parsed once. */
export const cronOf = (expression: string, zone: string): Cron => {
  const key = `${zone} ${expression}`;
  const cron = crons.get(key) ?? new Cron(expression, zone);
  crons.set(key, cron);
  return cron;
};
