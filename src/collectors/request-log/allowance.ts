// Limits the requests to the log: one a second, and so many a day.

import type { Clock } from '../../lib/clock.ts';
import { DAY, MINUTE } from '../../lib/time.ts';
import { Pacer } from '../../provider/pace.ts';
import type { RequestLogOptions } from './options.ts';

/** The requests of this time can be saved up while none are made. */
const SAVED_MS = 30 * MINUTE;
/** A start forgets what the last window used. Its own first window needs so many requests, because it knows no codes. */
const REQUESTS_OF_FIRST = 90;

/** The time of the requests that a day may have: what is saved up, and what windows use in advance, is kept free. */
const SPREAD_MS = DAY + 4 * SAVED_MS;

/** Returns how many requests a day can be made on average. */
export const steadyRequests = (perDay: number): number => Math.floor((perDay * DAY) / SPREAD_MS);

/** Counting is not urgent, so other requests of the account have most of its rate. */
const REQUESTS_PER_SECOND = 1;

/** Takes turns at the rate of the day. A window may use more at once: the next one then waits for that time. */
export class LogPace {
  readonly #clock: Clock;
  readonly #pacer: Pacer;
  /** No 24 hours have more than the limit, also with what was saved up, if a window uses at most a 26th of it. */
  readonly #msPerRequest: number;
  /** The time whose requests are used (ms, monotonic). */
  #usedTo: number;

  /** `idleMs` is the time since the last window before the start. */
  constructor({ max_requests_per_day }: RequestLogOptions, clock: Clock, idleMs: number) {
    this.#clock = clock;
    this.#pacer = new Pacer({ requestsPerSecond: REQUESTS_PER_SECOND, clock });
    this.#msPerRequest = SPREAD_MS / max_requests_per_day;
    this.#usedTo = clock.monotonic() - Math.min(SAVED_MS, idleMs - REQUESTS_OF_FIRST * this.#msPerRequest);
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
