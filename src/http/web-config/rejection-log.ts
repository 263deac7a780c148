// Logs once when passwords begin to be rejected because too many wait, and once when that has ended.

import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { MINUTE } from '../../lib/time.ts';

/** Guesses come and go, so a shorter pause is not an end. */
const QUIET_MS = MINUTE;

export class RejectionLog {
  readonly #clock: Clock;
  readonly #log: Log;
  #lastAt: number | undefined;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** `address` is that of the client. */
  rejected(address: string): void {
    if (this.#lastAt === undefined) {
      this.#log.warn(
        { address },
        'too many passwords wait for their check; proxywatch answers further ones with 429; find out whether this client tries passwords',
      );
    }
    this.#lastAt = this.#clock.monotonic();
  }

  accepted(): void {
    if (this.#lastAt === undefined || this.#clock.monotonic() - this.#lastAt < QUIET_MS) return;
    this.#lastAt = undefined;
    this.#log.info({}, 'proxywatch checks all passwords again');
  }
}
