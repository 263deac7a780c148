// Logs once that a receiver does not take requests, and that it does again, and once a day that it refuses samples.

import { formatDuration } from '../../config/duration.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { DAY, MINUTE, SECOND } from '../../lib/time.ts';
import type { Answer } from '../../remote-write/answer.ts';
import type { BatchResult, EarlySamples } from '../../remote-write/send-batch.ts';
import { sampleCount } from '../../remote-write/series.ts';

/** Shorter outages, such as a restart of the receiver, are no news. */
const QUIET_MS = 30 * SECOND;

const FAILS =
  'the receiver of remote write does not take requests; proxywatch keeps the samples and tries again';
const WORKS = 'the receiver of remote write takes requests again, and gets the samples that wait';

const REFUSED =
  'the receiver of remote write refuses samples, so proxywatch dropped them; the reason is the answer to the first of them';

const EARLY =
  'samples are too new for the clock of a receiver of remote write; proxywatch keeps them and sends them later. Correct the clock of the receiver. If it is right, check time_zone of the accounts';

/** Describes why samples wait, without secrets. `now` is the time by the daemon's clock (ms). */
export const earlyText = (early: EarlySamples, now: number): string => {
  const behindMs = Math.round((now - early.receiverTime) / MINUTE) * MINUTE;
  const clock = behindMs > 0 ? `is ${formatDuration(behindMs)} behind` : 'is not behind';
  return `${early.reason}; ${sampleCount(early.batch)} samples wait for the clock of the receiver, which ${clock}`;
};

const FALLBACK =
  'the receiver does not take remote write 2.0, so proxywatch uses 1.0. Remove protocol from this receiver, or upgrade the receiver and reload';

export class ReceiverLog {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #log: Log;
  #since: number | undefined;
  #isLogged = false;
  /** Samples that were refused since this was logged. */
  #refused = 0;
  #refusedLoggedAt = Number.NEGATIVE_INFINITY;
  #earlyLoggedAt = Number.NEGATIVE_INFINITY;

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
    if (answer.kind === 'retry' && answer.isFallback) {
      this.#log.warn({ reason: answer.reason }, FALLBACK);
      return;
    }
    const now = this.#clock.now();
    this.#since ??= now;
    const isNews = answer.kind !== 'retry' || now - this.#since >= QUIET_MS;
    if (this.#isLogged || !isNews) return;
    this.#isLogged = true;
    this.#log.warn({ reason: answer.reason }, FAILS);
  }

  sent({ refused, reason, early }: BatchResult): void {
    const now = this.#clock.now();
    this.#refused += refused;
    if (refused > 0 && now - this.#refusedLoggedAt >= DAY) {
      this.#log.warn({ samples: this.#refused, reason }, REFUSED);
      this.#refusedLoggedAt = now;
      this.#refused = 0;
    }
    if (!early || now - this.#earlyLoggedAt < DAY) return;
    this.#log.warn({ reason: earlyText(early, now) }, EARLY);
    this.#earlyLoggedAt = now;
  }

  #end(): void {
    if (this.#isLogged && this.#since !== undefined)
      this.#log.info({ outage_seconds: Math.round((this.#clock.now() - this.#since) / SECOND) }, WORKS);
    this.#since = undefined;
    this.#isLogged = false;
  }
}
