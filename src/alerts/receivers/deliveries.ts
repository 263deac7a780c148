// Remembers what became of a receiver's newest notifications, and logs when the receiver starts to fail and recovers.

import type { Log } from '../../lib/log.ts';
import type { Loss } from '../../store/alert-store.ts';

/** What became of a notification; see NotificationResult. */
export interface Outcome {
  readonly result: 'sent' | Loss;
  /** ms. */
  readonly at: number;
}

/** Two groups may be notified of at the same time, but each of them only once. */
export interface NotificationKey {
  readonly groupKey: string;
  readonly createdAt: number;
}

/** As many as the queue in the store holds. */
const MAX_OUTCOMES = 1_000;

export class DeliveryLog {
  readonly #outcomes = new Map<string, Outcome>();

  add(notification: NotificationKey, outcome: Outcome): void {
    this.#outcomes.set(textOf(notification), outcome);
    const [oldest] = this.#outcomes.keys();
    if (this.#outcomes.size > MAX_OUTCOMES && oldest !== undefined) this.#outcomes.delete(oldest);
  }

  find(notification: NotificationKey): Outcome | undefined {
    return this.#outcomes.get(textOf(notification));
  }
}

const textOf = ({ groupKey, createdAt }: NotificationKey): string => `${createdAt} ${groupKey}`;

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
