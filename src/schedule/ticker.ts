// Finds out when a schedule is due. Any number of missed slots, also after a jump of the clock, count as one.

import type { Cron } from '../lib/cron.ts';

export class Ticker {
  readonly #crons: readonly Cron[];
  readonly #offsetMs: number;
  #last: number;
  #next: number;

  /** The slots are those of all `crons` after `now` (ms), each delayed by `offsetMs`. */
  constructor(crons: readonly Cron[], offsetMs: number, now: number) {
    this.#crons = crons;
    this.#offsetMs = offsetMs;
    this.#last = now;
    this.#next = this.#after(now);
  }

  /** The next slot (ms since the epoch). */
  get next(): number {
    return this.#next;
  }

  /** Whether a slot lies between the last call and `now` (ms). After the clock was set back, slots count from the new time. */
  isDue(now: number): boolean {
    const isDue = now >= this.#next;
    if (isDue || now < this.#last) this.#next = this.#after(now);
    this.#last = now;
    return isDue;
  }

  #after(now: number): number {
    return Math.min(...this.#crons.map((cron) => cron.next(now - this.#offsetMs))) + this.#offsetMs;
  }
}
