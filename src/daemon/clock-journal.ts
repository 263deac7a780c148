// Logs once that the system clock jumped, or that the process did not run for a while.

import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { MINUTE, SECOND } from '../lib/time.ts';

/** Smaller steps have no visible effect: stored times may be this far in the future. */
const MIN_STEP_MS = MINUTE;

export class ClockJournal {
  readonly #clock: Clock;
  readonly #log: Log;
  #lastNow: number;
  #lastTick: number;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
    this.#lastNow = clock.now();
    this.#lastTick = clock.monotonic();
  }

  /** To be called every second or so. */
  tick(): void {
    const [now, tick] = [this.#clock.now(), this.#clock.monotonic()];
    const pausedMs = tick - this.#lastTick;
    const expected = this.#lastNow + pausedMs;
    if (Math.abs(now - expected) > MIN_STEP_MS) this.#logJump(expected, now);
    else if (pausedMs > MIN_STEP_MS) this.#logPause(pausedMs);
    [this.#lastNow, this.#lastTick] = [now, tick];
  }

  #logJump(from: number, to: number): void {
    const fields = { from: formatTime(from), to: formatTime(to), seconds: Math.round((to - from) / SECOND) };
    const message =
      to > from
        ? 'the system clock jumped ahead: somebody set it, or the machine slept. No counter falls'
        : 'the system clock was set back. No counter falls, and proxywatch corrects stored times that are now in the future';
    this.#log.warn(fields, `${message}. If the new time is wrong, correct the clock of the machine`);
  }

  #logPause(pausedMs: number): void {
    this.#log.warn(
      { seconds: Math.round(pausedMs / SECOND) },
      'proxywatch was paused: the process was stopped, or the machine had no time for it. proxywatch reads the data that it missed',
    );
  }
}

const formatTime = (at: number): string => new Date(at).toISOString();
