// Provides a clock that moves only when a test moves it.

import { type Clock, type Deadline, systemClock } from '../../src/lib/clock.ts';

interface Sleeper {
  readonly wakeAt: number;
  wake(): void;
}

export class FakeClock implements Clock {
  #now: number;
  #elapsed = 0;
  #sleepers: Sleeper[] = [];

  constructor(now: number | string) {
    this.#now = typeof now === 'string' ? Date.parse(now) : now;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (ms <= 0) return;
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        reject(signal?.reason);
      };
      const wake = (): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const sleeper = { wakeAt: this.#elapsed + ms, wake };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Ends in real time, because tests that do not wait for it must not see it end. */
  deadline(ms: number): Deadline {
    return systemClock.deadline(ms);
  }

  /** Time until the first sleeper is due (ms); Infinity if there are no sleepers. */
  get nextWakeMs(): number {
    return Math.min(...this.#sleepers.map(({ wakeAt }) => wakeAt - this.#elapsed));
  }

  /** Number of pending sleeps. */
  get sleepers(): number {
    return this.#sleepers.length;
  }

  /** Moves both clocks forward and wakes the sleepers that are due, in order. */
  advance(ms: number): void {
    this.#now += ms;
    this.elapse(ms);
  }

  /** Moves only the monotonic clock. */
  elapse(ms: number): void {
    this.#elapsed += ms;
    const due = this.#sleepers.filter((sleeper) => sleeper.wakeAt <= this.#elapsed);
    this.#sleepers = this.#sleepers.filter((sleeper) => sleeper.wakeAt > this.#elapsed);
    for (const sleeper of due.sort((a, b) => a.wakeAt - b.wakeAt)) sleeper.wake();
  }

  /** Sets only the wall clock, as a correction by NTP does. */
  jumpTo(now: number | string): void {
    this.#now = typeof now === 'string' ? Date.parse(now) : now;
  }
}
