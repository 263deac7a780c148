// Provides a clock that another process moves. Short sleeps end at once and move it by their length.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { MINUTE } from '../../../src/lib/time.ts';
import { FakeClock } from '../../support/fake-clock.ts';

/** Sleeps that are shorter end at once: paces, retries and pauses after 429. */
const SHORT_MS = 5 * MINUTE;

export class DrivenClock extends FakeClock {
  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms >= SHORT_MS) return super.sleep(ms, signal);
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
