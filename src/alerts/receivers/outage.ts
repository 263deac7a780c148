// Tells the log when a receiver begins to fail and when it is back, and not at every attempt in between.

import type { Log } from '../../lib/log.ts';

export class Outage {
  readonly #log: Log;
  /** When it began (ms). */
  since: number | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  failed(reason: string, now: number): void {
    if (this.since === undefined)
      this.#log.warn({ reason }, 'a receiver does not take notifications; they are sent again');
    this.since ??= now;
  }

  /** Nothing is to be sent any more: whether the receiver is back is not known, and no matter. */
  forget(): void {
    this.since = undefined;
  }

  ended(): void {
    if (this.since !== undefined) this.#log.info({}, 'the receiver takes notifications again');
    this.since = undefined;
  }
}
