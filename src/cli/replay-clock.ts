// The demo's clock: the system's, after a past that is lived through in steps.

import { type Clock, systemClock } from '../lib/clock.ts';

export class ReplayClock implements Clock {
  #behindMs = 0;

  now(): number {
    return systemClock.now() - this.#behindMs;
  }

  monotonic(): number {
    return systemClock.monotonic();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(ms, signal);
  }

  goBack(ms: number): void {
    this.#behindMs = ms;
  }

  /** Moves on, at most to the present; false once it is there already. */
  advance(ms: number): boolean {
    if (this.#behindMs === 0) return false;
    this.#behindMs = Math.max(0, this.#behindMs - ms);
    return true;
  }
}
