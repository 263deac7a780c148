// Defines the clock that everything takes that reads or waits for time, so that tests can control time.

import { setTimeout as delay } from 'node:timers/promises';

/** A time limit. Dispose of it when the limited work has ended. */
export interface Deadline extends Disposable {
  /** Aborts when the time is up. */
  readonly signal: AbortSignal;
}

export interface Clock {
  /** Wall-clock time in milliseconds since the epoch. It may jump forward and backward. */
  now(): number;
  /** Milliseconds from an arbitrary origin, for durations. It never jumps. */
  monotonic(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Starts a time limit of `ms` milliseconds. It does not keep the process alive. */
  deadline(ms: number): Deadline;
}

/** Node ends a longer timer at once. This is 24.8 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Work is not possible because the clock of this machine is wrong. The message says what to do. */
export class ClockError extends Error {
  override readonly name = 'ClockError';
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    try {
      await delay(Math.min(ms, MAX_TIMER_MS), undefined, signal ? { signal } : {});
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
  // The signal of AbortSignal.timeout would stay in memory until the time is up, long after the work has ended.
  deadline: (ms) => {
    const controller = new AbortController();
    const end = (): void => controller.abort(new DOMException('the time is up', 'TimeoutError'));
    const timer = setTimeout(end, Math.min(ms, MAX_TIMER_MS)).unref();
    return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

/** Measures by how much the wall clock jumped, as against the monotonic clock, which never jumps. */
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
