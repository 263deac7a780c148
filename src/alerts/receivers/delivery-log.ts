// Remembers what became of the newest notifications of a receiver. A restart forgets it.

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
