// Tracks a run in progress, and logs its progress at growing intervals when it takes long.

import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Progress } from '../lib/progress.ts';
import { SECOND } from '../lib/time.ts';

/** The shortest time after which the progress of a run is logged. It is logged again after twice that time, and so on. */
const FIRST_LOG_MS = 10 * SECOND;

export class Run {
  /** ms since the epoch. */
  readonly startedAt: number;
  progress: Progress | null = null;
  readonly #clock: Clock;
  readonly #startedMonotonic: number;
  readonly #firstLogMs: number;
  #nextLogMs: number;

  /** A run that takes up to `usualMs` is not worth a line. */
  constructor(clock: Clock, usualMs = 0) {
    this.#clock = clock;
    this.#firstLogMs = Math.max(FIRST_LOG_MS, usualMs);
    this.#nextLogMs = this.#firstLogMs;
    this.startedAt = clock.now();
    this.#startedMonotonic = clock.monotonic();
  }

  /** Whether the progress of this run was logged at least once. */
  get wasProgressLogged(): boolean {
    return this.#nextLogMs > this.#firstLogMs;
  }

  /** Logs the progress if that is due. */
  logProgress(log: Log): void {
    const durationMs = this.#clock.monotonic() - this.#startedMonotonic;
    if (durationMs < this.#nextLogMs) return;
    while (this.#nextLogMs <= durationMs) this.#nextLogMs *= 2;
    log.info({ durationMs: Math.round(durationMs), ...this.progress }, 'run still in progress');
  }
}
