// Keeps the indexes of a list while somebody reads the list.

import { type Clock, type Deadline, systemClock } from '../../../lib/clock.ts';
import { MINUTE } from '../../../lib/time.ts';
import type { ListIndex } from './list-index.ts';

/** Longer than the pauses of a person who reads the status page. */
export const IDLE_MS = 5 * MINUTE;

interface Entry<T> {
  readonly revision: string;
  readonly index: Promise<ListIndex<T>>;
  idle: Deadline;
}

export class IndexCache<T> {
  readonly #deadline: Clock['deadline'];
  readonly #entries = new Map<string, Entry<T>>();

  constructor({ deadline }: Pick<Clock, 'deadline'> = systemClock) {
    this.#deadline = deadline;
  }

  /** How many indexes are in memory. */
  get size(): number {
    return this.#entries.size;
  }

  /** Returns the account's index. It is computed again when the revision has changed. Callers share the computation. */
  get(account: string, revision: string, build: () => Promise<ListIndex<T>>): Promise<ListIndex<T>> {
    const cached = this.#entries.get(account);
    cached?.idle[Symbol.dispose]();
    const idle = this.#deadline(IDLE_MS);
    const entry = cached?.revision === revision ? cached : { revision, index: build(), idle };
    entry.idle = idle;
    this.#entries.set(account, entry);
    const drop = (): void => {
      if (this.#entries.get(account) === entry) this.#entries.delete(account);
    };
    idle.signal.addEventListener('abort', drop, { once: true });
    // Callers that wait for this index get the error. The next call computes it again.
    if (entry !== cached) entry.index.catch(drop);
    return entry.index;
  }

  /** Forgets the indexes of all other accounts, which a reload removed. */
  keep(accounts: readonly string[]): void {
    for (const [name, { idle }] of this.#entries) {
      if (accounts.includes(name)) continue;
      idle[Symbol.dispose]();
      this.#entries.delete(name);
    }
  }
}
