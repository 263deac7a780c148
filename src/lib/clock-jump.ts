// Measures by how much the wall clock jumped, as against the monotonic clock, which never jumps.

import type { Clock } from './clock.ts';

export class ClockJump {
  readonly #clock: Clock;
  #lastNow: number;
  #lastTick: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lastNow = clock.now();
    this.#lastTick = clock.monotonic();
  }

  /** Returns by how much the wall clock was set ahead since the last call (ms). It is negative if it was set back. */
  sinceLastCall(): number {
    const [now, tick] = [this.#clock.now(), this.#clock.monotonic()];
    const jumpMs = Math.round(now - this.#lastNow - (tick - this.#lastTick));
    [this.#lastNow, this.#lastTick] = [now, tick];
    return jumpMs;
  }
}
