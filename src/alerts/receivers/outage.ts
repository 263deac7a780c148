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
      this.#log.warn(
        { reason },
        'the receiver rejects notifications or does not respond; proxywatch sends them again',
      );
    this.since ??= now;
  }

  /** Ends the outage without a log line: nothing is left to send, so it is unknown whether the receiver has recovered. */
  reset(): void {
    this.since = undefined;
  }

  ended(): void {
    if (this.since !== undefined) this.#log.info({}, 'the receiver accepts notifications again');
    this.since = undefined;
  }
}
