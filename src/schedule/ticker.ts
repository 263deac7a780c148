// Finds out when a schedule is due, and delays each job after its slots.

import { crc32 } from 'node:zlib';
import type { Cron } from '../lib/cron.ts';
import { MINUTE, SECOND } from '../lib/time.ts';

/** Any number of missed slots, also after a jump of the clock, count as one. */
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

/** The share of the interval over which the jobs are spread, with few accounts and with many. */
const [SHARE, LARGE_SHARE] = [0.2, 0.8];
const FEW_ACCOUNTS = 20;

/**
 * Returns how long after its slot a job may start at most (ms). With many accounts it is up to a second for each of them,
 * because runs that overlap keep their answers in memory at the same time, and compete for one thread.
 */
const maxDelay = (intervalMs: number, accounts: number): number => {
  const share = accounts > FEW_ACCOUNTS ? LARGE_SHARE : SHARE;
  return Math.min(Math.max(MINUTE, accounts * SECOND), share * intervalMs);
};

/**
 * Returns the delay of the job with this key (ms), in whole seconds, so that the accounts do not all send requests in the
 * same second. It is the same in each process with as many accounts. If the longest delay changes, each job keeps its
 * place in it, so that one account more delays no job by minutes.
 */
export const delayOf = (key: string, intervalMs: number, accounts: number): number => {
  const place = crc32(key) / 2 ** 32;
  return Math.floor((place * maxDelay(intervalMs, accounts)) / SECOND) * SECOND;
};
