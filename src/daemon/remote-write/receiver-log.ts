// Logs once that a receiver does not take requests, and that it does again, and once a day that it refuses samples.

import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { DAY, SECOND } from '../../lib/time.ts';
import type { Answer } from '../../remote-write/answer.ts';
import type { BatchResult } from '../../remote-write/send-batch.ts';

/** Shorter outages, such as a restart of the receiver, are no news. */
const QUIET_MS = 30 * SECOND;

const FAILS =
  'the receiver of remote write does not take requests; proxywatch keeps the samples and tries again';
const WORKS = 'the receiver of remote write takes requests again, and gets the samples that wait';

const REFUSED =
  'the receiver of remote write refuses samples, so proxywatch dropped them; the reason is the answer to the first of them';

export class ReceiverLog {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #log: Log;
  #since: number | undefined;
  #isLogged = false;
  /** Samples that were refused since this was logged. */
  #refused = 0;
  #refusedLoggedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'now'>, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Whether the receiver did not take the last request. */
  get isFailing(): boolean {
    return this.#since !== undefined;
  }

  /** A receiver that refuses samples or large requests works. */
  answered(answer: Answer): void {
    if (answer.kind !== 'retry' && answer.kind !== 'misconfigured') {
      this.#end();
      return;
    }
    const now = this.#clock.now();
    this.#since ??= now;
    const isNews = answer.kind !== 'retry' || now - this.#since >= QUIET_MS;
    if (this.#isLogged || !isNews) return;
    this.#isLogged = true;
    this.#log.warn({ reason: answer.reason }, FAILS);
  }

  sent({ refused, reason }: BatchResult): void {
    this.#refused += refused;
    if (refused === 0 || this.#clock.now() - this.#refusedLoggedAt < DAY) return;
    this.#log.warn({ samples: this.#refused, reason }, REFUSED);
    this.#refusedLoggedAt = this.#clock.now();
    this.#refused = 0;
  }

  #end(): void {
    if (this.#isLogged && this.#since !== undefined)
      this.#log.info({ outage_seconds: Math.round((this.#clock.now() - this.#since) / SECOND) }, WORKS);
    this.#since = undefined;
    this.#isLogged = false;
  }
}
