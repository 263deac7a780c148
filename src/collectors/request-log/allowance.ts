// Limits the requests to the log: one a second, and so many a day.

import type { Clock } from '../../lib/clock.ts';
import { DAY } from '../../lib/time.ts';
import { Pacer } from '../../provider/pace.ts';
import type { Allowance } from '../../store/request-log-store.ts';
import type { RequestLogOptions } from './options.ts';

/** The requests of this part of a day can be saved up, so that no 24 hours have more than the limit. */
const SAVED_SHARE = 1 / 25;

/** Counting is not urgent, so other requests of the account have most of its rate. */
const REQUESTS_PER_SECOND = 1;

type Limits = Pick<RequestLogOptions, 'max_requests_per_day'>;

/** The most requests that can be saved up for one window. */
export const mostSaved = ({ max_requests_per_day }: Limits): number => max_requests_per_day * SAVED_SHARE;

/** Counts down what may be requested, and takes turns. What a window needs above it is taken from the next ones. */
export class LogPace {
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #pacer: Pacer;
  #level: number;
  #at: number;
  /** The number of requests since the start. */
  taken = 0;

  constructor(limits: Limits, stored: Allowance | null, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#pacer = new Pacer({ requestsPerSecond: REQUESTS_PER_SECOND, clock });
    this.#at = clock.now();
    this.#level = mostSaved(limits);
    if (stored) [this.#level, this.#at] = [Math.min(stored.requests, this.#level), stored.at];
  }

  /** What may be requested now. A clock that was set back adds nothing. */
  get allowance(): Allowance {
    const now = this.#clock.now();
    const perMs = (this.#limits.max_requests_per_day - mostSaved(this.#limits)) / DAY;
    const requests = this.#level + Math.max(0, now - this.#at) * perMs;
    return { requests: Math.min(mostSaved(this.#limits), requests), at: now };
  }

  /** Whether so many requests may be made, or nothing more can be saved up. */
  canSpend(requests: number): boolean {
    return this.allowance.requests >= Math.min(requests, mostSaved(this.#limits));
  }

  /** Resolves when a request may be sent, and counts it. */
  async take(signal: AbortSignal): Promise<void> {
    await this.#pacer.take(signal);
    const { requests, at } = this.allowance;
    [this.#level, this.#at] = [requests - 1, at];
    this.taken += 1;
  }
}
