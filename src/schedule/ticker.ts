// Finds what is due: once for any number of missed slots, and not at once for all when the clock jumps.

import type { Cron } from '../lib/cron.ts';

export class Ticker {
  readonly #crons: readonly Cron[];
  readonly #offsetMs: number;
  #last: number;
  #next: number;

  /** Slots of all `crons` after `now` (ms), each `offsetMs` later than written. */
  constructor(crons: readonly Cron[], offsetMs: number, now: number) {
    this.#crons = crons;
    this.#offsetMs = offsetMs;
    this.#last = now;
    this.#next = this.#after(now);
  }

  /** When the next slot is (ms). */
  get next(): number {
    return this.#next;
  }

  /** Whether a slot lies between the last call and `now`; after a clock set back, slots count from there. */
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
