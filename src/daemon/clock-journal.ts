// Logs once that the system clock jumped, or that the process did not run for a while.

import type { Clock } from '../lib/clock.ts';
import { ClockJump } from '../lib/clock-jump.ts';
import type { Log } from '../lib/log.ts';
import { MINUTE, SECOND } from '../lib/time.ts';

/** Smaller steps have no visible effect: stored times may be this far in the future. */
const MIN_STEP_MS = MINUTE;

export class ClockJournal {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #jump: ClockJump;
  #lastTick: number;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
    this.#jump = new ClockJump(clock);
    this.#lastTick = clock.monotonic();
  }

  /** To be called every second or so. */
  tick(): void {
    const [jumpMs, tick] = [this.#jump.sinceLastCall(), this.#clock.monotonic()];
    const pausedMs = tick - this.#lastTick;
    if (Math.abs(jumpMs) > MIN_STEP_MS) this.#logJump(jumpMs);
    else if (pausedMs > MIN_STEP_MS) this.#logPause(pausedMs);
    this.#lastTick = tick;
  }

  #logJump(jumpMs: number): void {
    const to = this.#clock.now();
    const fields = {
      from: formatTime(to - jumpMs),
      to: formatTime(to),
      seconds: Math.round(jumpMs / SECOND),
    };
    const message =
      jumpMs > 0
        ? 'the system clock jumped ahead: somebody set it, or the machine slept. No counter falls'
        : 'the system clock was set back. No counter falls';
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
