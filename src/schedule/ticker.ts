// Finds out when a schedule is due, delays each job after its slots, and starts runs a few at a time.

import { crc32 } from 'node:zlib';
import type { Clock } from '../lib/clock.ts';
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

/** The number of runs that may begin in any second. All collectors of one account may begin at once. */
const LEAST_PER_SECOND = 20;
/** More runs may begin if there are so many jobs that they would not all begin within this time, half a minute. */
const ALL_WITHIN_S = 30;

export class Starts {
  readonly #clock: Clock;
  readonly #countJobs: () => number;
  readonly #waiting = new Map<string, () => void>();
  readonly #stop = new AbortController();
  #begunAt: number[] = [];
  #draining: Promise<void> | undefined;

  constructor(clock: Clock, countJobs: () => number) {
    this.#clock = clock;
    this.#countJobs = countJobs;
  }

  /** Resolves when no run waits; undefined if none does. */
  get idle(): Promise<void> | undefined {
    return this.#draining;
  }

  /** Calls `begin` at once, or when it is its turn. A job that waits already keeps its place. */
  ask(key: string, begin: () => void): void {
    if (this.#waiting.size === 0 && this.#mayBegin()) begin();
    else if (!this.#stop.signal.aborted) {
      if (!this.#waiting.has(key)) this.#waiting.set(key, begin);
      this.#draining ??= this.#drain();
    }
  }

  forget(key: string): void {
    this.#waiting.delete(key);
  }

  /** Forgets the waiting runs, and accepts no others. */
  stop(): void {
    this.#waiting.clear();
    this.#stop.abort();
  }

  async #drain(): Promise<void> {
    while (this.#waiting.size > 0) {
      // An abort rejects the wait; no run waits then.
      await this.#clock.sleep(SECOND, this.#stop.signal).catch(() => {});
      for (const [key, begin] of this.#waiting) {
        if (!this.#mayBegin()) break;
        this.#waiting.delete(key);
        begin();
      }
    }
    this.#draining = undefined;
  }

  /** Takes a place in the current second if there is one. */
  #mayBegin(): boolean {
    // This is the clock that makes runs due. After it jumps, no run has begun in the current second.
    const now = this.#clock.now();
    this.#begunAt = this.#begunAt.filter((at) => Math.abs(now - at) < SECOND);
    if (this.#begunAt.length >= Math.max(LEAST_PER_SECOND, this.#countJobs() / ALL_WITHIN_S)) return false;
    this.#begunAt.push(now);
    return true;
  }
}
