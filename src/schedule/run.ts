// A run under way: since when, how far it has come, and what the log is told when it takes long.

import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Progress } from '../lib/progress.ts';
import { SECOND } from '../lib/time.ts';

/** A run of this age is news; then one of twice the age, and so on. */
const FIRST_NEWS_MS = 10 * SECOND;

export class Run {
  /** When it began (ms). */
  readonly since: number;
  progress: Progress | null = null;
  readonly #clock: Clock;
  readonly #beganAt: number;
  #nextNewsMs = FIRST_NEWS_MS;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.since = clock.now();
    this.#beganAt = clock.monotonic();
  }

  /** Whether the log knows of it. */
  get isNews(): boolean {
    return this.#nextNewsMs > FIRST_NEWS_MS;
  }

  /** Tells the log how far it is, where that is due. */
  tell(log: Log): void {
    const durationMs = this.#clock.monotonic() - this.#beganAt;
    if (durationMs < this.#nextNewsMs) return;
    while (this.#nextNewsMs <= durationMs) this.#nextNewsMs *= 2;
    log.info({ durationMs: Math.round(durationMs), ...this.progress }, 'the run goes on');
  }
}
