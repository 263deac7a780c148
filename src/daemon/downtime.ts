// Tracks downtime of the daemon (before its start, or while the machine slept) and which accounts were polled since.

import type { Clock } from '../lib/clock.ts';
import { MINUTE } from '../lib/time.ts';
import type { JobStatus } from '../schedule/job.ts';

/** Ticks come every second. If more time passes between two, a clock has jumped or the process did not run. */
const LONGEST_TICK_MS = MINUTE;
/** A first run that takes longer may hang, so it is not waited for. */
const LONGEST_WAIT_MS = 15 * MINUTE;

export class DowntimeTracker {
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

  /** Called every second; returns whether the daemon was down since the last call. */
  tick(): boolean {
    const [now, tick] = [this.#clock.now(), this.#clock.monotonic()];
    const wasDown = now - this.#lastNow > LONGEST_TICK_MS || tick - this.#lastTick > LONGEST_TICK_MS;
    if (wasDown || this.#lastNow - now > LONGEST_TICK_MS) {
      this.#ended.clear();
      this.#resumedAt = tick;
    }
    [this.#lastNow, this.#lastTick] = [now, tick];
    return wasDown;
  }

  /** Records that a run of the collector has ended. */
  runEnded(account: string, collector: string): void {
    this.#ended.add(`${account}/${collector}`);
  }

  /** Whether all due collectors have run since the downtime; until then, data is stale only because of it. */
  hasPolledSince(account: string): boolean {
    if (this.#clock.monotonic() - this.#resumedAt > LONGEST_WAIT_MS) return true;
    return this.#status()
      .filter((job) => job.account === account && job.runningSince !== null)
      .every(({ collector }) => this.#ended.has(`${account}/${collector}`));
  }
}
