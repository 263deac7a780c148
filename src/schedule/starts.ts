// Lets runs begin a few at a time, however many are due at once: at the start, on the hour, after a machine's sleep.

import type { Clock } from '../lib/clock.ts';
import { SECOND } from '../lib/time.ts';

/** Runs that may begin in any one second. */
const LEAST_PER_SECOND = 10;
/** More, where it takes more for all jobs to have begun within this time: half of a minute's schedule. */
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

  /** Resolves when none waits; undefined when none does. */
  get idle(): Promise<void> | undefined {
    return this.#draining;
  }

  /** Calls `begin` at once, or when it is its turn; who waits already keeps its place. */
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

  /** Nobody's turn comes any more. */
  stop(): void {
    this.#waiting.clear();
    this.#stop.abort();
  }

  async #drain(): Promise<void> {
    while (this.#waiting.size > 0) {
      // An abort ends the wait, and nobody waits any more.
      await this.#clock.sleep(SECOND, this.#stop.signal).catch(() => {});
      for (const [key, begin] of this.#waiting) {
        if (!this.#mayBegin()) break;
        this.#waiting.delete(key);
        begin();
      }
    }
    this.#draining = undefined;
  }

  /** Takes a place in the present second, if there is one. */
  #mayBegin(): boolean {
    // By the clock that makes runs due: one that jumps has gone by whole schedules, and none of its seconds is full.
    const now = this.#clock.now();
    this.#begunAt = this.#begunAt.filter((at) => Math.abs(now - at) < SECOND);
    if (this.#begunAt.length >= Math.max(LEAST_PER_SECOND, this.#countJobs() / ALL_WITHIN_S)) return false;
    this.#begunAt.push(now);
    return true;
  }
}
