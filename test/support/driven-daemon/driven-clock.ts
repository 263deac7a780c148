// Provides a clock that another process moves. Short sleeps end at once and move it by their length.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { MINUTE } from '../../../src/lib/time.ts';
import { FakeClock } from '../fake-clock.ts';

/** Sleeps that are shorter end at once by default: paces, retries and pauses after 429. */
const SHORT_MS = 5 * MINUTE;

export class DrivenClock extends FakeClock {
  readonly #shortMs: number;

  constructor(now: string, shortMs = SHORT_MS) {
    super(now);
    this.#shortMs = shortMs;
  }

  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms >= this.#shortMs) return super.sleep(ms, signal);
    await nextTurn();
    signal?.throwIfAborted();
    // Times in the store are whole milliseconds.
    this.advance(Math.ceil(ms));
  }

  /** Advances to the time (ms), unless short sleeps have moved the clock further. */
  advanceTo(time: number): void {
    this.advance(Math.max(0, time - this.now()));
  }
}
