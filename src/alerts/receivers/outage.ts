// Logs when a receiver starts to fail and when it recovers, instead of every failed attempt.

import type { Log } from '../../lib/log.ts';

export class Outage {
  readonly #log: Log;
  /** When the outage began (ms); undefined while there is none. */
  since: number | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  failed(reason: string, now: number): void {
    if (this.since === undefined)
      this.#log.warn({ reason }, 'a receiver does not take notifications; they are sent again');
    this.since ??= now;
  }

  /** Ends the outage without a log line: nothing is left to send, so it is unknown whether the receiver has recovered. */
  reset(): void {
    this.since = undefined;
  }

  ended(): void {
    if (this.since !== undefined) this.#log.info({}, 'the receiver takes notifications again');
    this.since = undefined;
  }
}
