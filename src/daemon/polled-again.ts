// Whether an account has been polled again since the daemon was away: at the start, and after a machine slept.

import type { Clock } from '../lib/clock.ts';
import { MINUTE } from '../lib/time.ts';
import type { JobStatus } from '../schedule/job.ts';

/** Between two ticks: either clock has jumped, or nothing went on meanwhile. */
const GAP_MS = MINUTE;
/** First runs that take longer are waited for no more: they may hang. */
const LONGEST_MS = 15 * MINUTE;

export class Watch {
  readonly #clock: Clock;
  readonly #status: () => readonly JobStatus[];
  readonly #ended = new Set<string>();
  #lastNow: number;
  #lastTick: number;
  #resumedAt: number;

  constructor(clock: Clock, status: () => readonly JobStatus[]) {
    this.#clock = clock;
    this.#status = status;
    this.#lastNow = clock.now();
    this.#lastTick = clock.monotonic();
    this.#resumedAt = this.#lastTick;
  }

  /** Tells whether more time went by than the daemon was there for. */
  tick(): boolean {
    const [now, tick] = [this.#clock.now(), this.#clock.monotonic()];
    const wasAway = now - this.#lastNow > GAP_MS || tick - this.#lastTick > GAP_MS;
    if (wasAway || this.#lastNow - now > GAP_MS) {
      this.#ended.clear();
      this.#resumedAt = tick;
    }
    [this.#lastNow, this.#lastTick] = [now, tick];
    return wasAway;
  }

  /** A run of the collector has ended. */
  ended(account: string, collector: string): void {
    this.#ended.add(`${account}/${collector}`);
  }

  /** Whether what was due has been polled: until then data are as old as the daemon was away, which is no news. */
  isSettled(account: string): boolean {
    if (this.#clock.monotonic() - this.#resumedAt > LONGEST_MS) return true;
    return this.#status()
      .filter((job) => job.account === account && job.runningSince !== null)
      .every(({ collector }) => this.#ended.has(`${account}/${collector}`));
  }
}
