// Logs once that a receiver does not take requests, and that it does again, and once a day that it refuses samples.

import { formatDuration } from '../../config/duration.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { DAY, MINUTE, SECOND } from '../../lib/time.ts';
import type { Answer } from '../../remote-write/answer.ts';
import type { BatchResult, EarlySamples } from '../../remote-write/send-batch.ts';

/** Shorter outages, such as a restart of the receiver, are no news. */
const QUIET_MS = 30 * SECOND;

const FAILS =
  'the receiver of remote write does not take requests; proxywatch keeps the samples and tries again';
const WORKS = 'the receiver of remote write takes requests again, and gets the samples that wait';

const REFUSED =
  'the receiver of remote write refuses samples, so proxywatch dropped them; the reason is the answer to the first of them';

const EARLY =
  'samples are too new for the clock of a receiver of remote write; proxywatch keeps them and sends them later. Correct the clock of the receiver. If it is right, check time_zone of the accounts';

type EarlyAnswer = Pick<EarlySamples, 'reason' | 'behindMs'>;

const earlyText = ({ reason, behindMs }: EarlyAnswer, count: number): string => {
  const samples = count === 1 ? '1 sample waits' : `${count} samples wait`;
  return `${reason}; ${samples} for the clock of the receiver${clockText(behindMs)}`;
};

const clockText = (behindMs: number | undefined): string => {
  if (behindMs === undefined) return '';
  const rounded = Math.round(behindMs / MINUTE) * MINUTE;
  return rounded > 0 ? `, which is ${formatDuration(rounded)} behind` : ', which is not behind';
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
  /** The last answer to samples that are too new for the receiver's clock. */
  #early: EarlyAnswer | undefined;
  #earlyLoggedAt = Number.NEGATIVE_INFINITY;
  /** Why samples wait for the receiver's clock, without secrets; undefined if none does, or before the first answer. */
  earlyReason: string | undefined;

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
    if (early) this.#early = { reason: early.reason, behindMs: early.behindMs };
    const now = this.#clock.now();
    this.#refused += refused;
    if (refused === 0 || now - this.#refusedLoggedAt < DAY) return;
    this.#log.warn({ samples: this.#refused, reason }, REFUSED);
    this.#refusedLoggedAt = now;
    this.#refused = 0;
  }

  /** Call it with the number of all samples that are too new for the receiver's clock. */
  waiting(count: number): void {
    this.earlyReason = this.#early && count > 0 ? earlyText(this.#early, count) : undefined;
    const now = this.#clock.now();
    if (this.earlyReason === undefined || now - this.#earlyLoggedAt < DAY) return;
    this.#log.warn({ reason: this.earlyReason }, EARLY);
    this.#earlyLoggedAt = now;
  }

  #end(): void {
    if (this.#isLogged && this.#since !== undefined)
      this.#log.info({ outage_seconds: Math.round((this.#clock.now() - this.#since) / SECOND) }, WORKS);
    this.#since = undefined;
    this.#isLogged = false;
  }
}
