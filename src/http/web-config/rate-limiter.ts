// Limits the rate of requests with a token bucket, like other exporters: all clients share it.

import type { Clock } from '../../lib/clock.ts';
import type { RateLimit } from './load.ts';

export class RateLimiter {
  readonly #clock: Clock;
  #limit: RateLimit | null = null;
  #tokens = 0;
  #filledAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Returns 0 if the request is allowed, or else the time after which the next one will be (ms). The bucket is full
   * when a limit begins or changes.
   */
  waitFor(limit: RateLimit | null): number {
    if (limit === null) {
      this.#limit = null;
      return 0;
    }
    this.#fill(limit);
    if (this.#tokens < 1) return limit.burst === 0 ? Number.POSITIVE_INFINITY : this.#timeToNext(limit);
    this.#tokens -= 1;
    return 0;
  }

  #fill(limit: RateLimit): void {
    const now = this.#clock.monotonic();
    const isSame = this.#limit?.intervalMs === limit.intervalMs && this.#limit.burst === limit.burst;
    const gained = isSame ? (now - this.#filledAt) / limit.intervalMs : limit.burst;
    this.#tokens = Math.min(limit.burst, (isSame ? this.#tokens : 0) + gained);
    this.#filledAt = now;
    this.#limit = limit;
  }

  #timeToNext({ intervalMs }: RateLimit): number {
    return (1 - this.#tokens) * intervalMs;
  }
}
