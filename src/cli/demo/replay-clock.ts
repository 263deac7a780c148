// Provides the demo's clock: the system clock, which can be set behind the current time to replay the past.

import { type Clock, type Deadline, systemClock } from '../../lib/clock.ts';

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

  deadline(ms: number): Deadline {
    return systemClock.deadline(ms);
  }

  /** Sets the clock behind the current time; 0 restores it. */
  setBehind(ms: number): void {
    this.#behindMs = ms;
  }
}
