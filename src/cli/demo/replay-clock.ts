// The demo's clock: the system's, after a past that is lived through in steps.

import { type Clock, systemClock } from '../../lib/clock.ts';

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

  /** Sets the clock behind the present; 0 brings it back. */
  goBack(ms: number): void {
    this.#behindMs = ms;
  }
}
