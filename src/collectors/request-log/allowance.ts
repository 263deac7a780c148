// Limits the requests to the log: one a second, and so many a day.

import type { Clock } from '../../lib/clock.ts';
import { DAY, MINUTE } from '../../lib/time.ts';
import { Pacer } from '../../provider/pace.ts';
import type { RequestLogOptions } from './options.ts';

/** The requests of this time can be saved up while none are made, and are at hand after a start. */
const SAVED_MS = 30 * MINUTE;

/** Counting is not urgent, so other requests of the account have most of its rate. */
const REQUESTS_PER_SECOND = 1;

/** Takes turns at the rate of the day. A window may use more at once: the next one then waits for that time. */
export class LogPace {
  readonly #clock: Clock;
  readonly #pacer: Pacer;
  /** No 24 hours have more than the limit, also with what was saved up and what a window uses in advance, and with a restart. */
  readonly #msPerRequest: number;
  /** The time whose requests are used (ms, monotonic). */
  #usedTo: number;

  constructor({ max_requests_per_day }: Pick<RequestLogOptions, 'max_requests_per_day'>, clock: Clock) {
    this.#clock = clock;
    this.#pacer = new Pacer({ requestsPerSecond: REQUESTS_PER_SECOND, clock });
    this.#msPerRequest = (DAY + 4 * SAVED_MS) / max_requests_per_day;
    this.#usedTo = clock.monotonic() - SAVED_MS;
  }

  get mayBeginWindow(): boolean {
    return this.#usedTo <= this.#clock.monotonic();
  }

  /** Resolves when a request may be sent, and counts it. */
  async take(signal: AbortSignal): Promise<void> {
    await this.#pacer.take(signal);
    this.#usedTo = Math.max(this.#usedTo, this.#clock.monotonic() - SAVED_MS) + this.#msPerRequest;
  }
}
