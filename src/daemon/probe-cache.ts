// Keeps the results of probes on request for 30 seconds, and limits how many such probes run at a time.

import type { Clock } from '../lib/clock.ts';
import { SECOND } from '../lib/time.ts';

/** How long a result answers further requests (ms), so that two Prometheus servers cost no more than one. */
export const RESULT_AGE_MS = 30 * SECOND;

interface Entry<T> {
  readonly result: Promise<T>;
  /** When the probe ended, by the monotonic clock (ms); undefined while it runs. */
  endedAt: number | undefined;
}

export interface AgedResult<T> {
  readonly result: T;
  readonly ageMs: number;
}

export class ProbeCache<T> {
  readonly #clock: Clock;
  /** In the order in which the probes began. */
  readonly #entries = new Map<string, Entry<T>>();
  #running = 0;

  readonly #isKept: (result: T) => boolean;

  constructor(clock: Clock, isKept: (result: T) => boolean) {
    this.#clock = clock;
    this.#isKept = isKept;
  }

  /**
   * Returns the result of the last 30 seconds, or that of a running probe with the same key, or probes. Undefined if
   * `limit` probes run already. Rejects if the probe does, and keeps nothing of it.
   */
  async get(key: string, limit: number, probe: () => Promise<T>): Promise<AgedResult<T> | undefined> {
    this.#deleteOld();
    const known = this.#entries.get(key);
    if (!known && this.#running >= limit) return undefined;
    const entry = known ?? this.#start(key, probe);
    const result = await entry.result;
    return { result, ageMs: this.#clock.monotonic() - (entry.endedAt ?? this.#clock.monotonic()) };
  }

  #start(key: string, probe: () => Promise<T>): Entry<T> {
    this.#running += 1;
    const entry: Entry<T> = { result: this.#run(probe), endedAt: undefined };
    this.#entries.set(key, entry);
    entry.result.then(
      (result) => {
        entry.endedAt = this.#clock.monotonic();
        if (!this.#isKept(result)) this.#entries.delete(key);
      },
      () => this.#entries.delete(key),
    );
    return entry;
  }

  async #run(probe: () => Promise<T>): Promise<T> {
    try {
      return await probe();
    } finally {
      this.#running -= 1;
    }
  }

  #deleteOld(): void {
    const oldest = this.#clock.monotonic() - RESULT_AGE_MS;
    for (const [key, { endedAt }] of this.#entries)
      if (endedAt !== undefined && endedAt <= oldest) this.#entries.delete(key);
  }
}
