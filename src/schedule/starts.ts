// Starts runs a few at a time. Many may be due at once: when the daemon starts, on the hour, and after the machine slept.

import type { Clock } from '../lib/clock.ts';
import { SECOND } from '../lib/time.ts';

/** The number of runs that may begin in any second. All collectors of one account may begin at once. */
const LEAST_PER_SECOND = 12;
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
