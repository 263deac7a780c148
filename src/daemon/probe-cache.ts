// Keeps the results of probes on request for 30 seconds, and limits how many such probes run at a time.

import type { Clock } from '../lib/clock.ts';
import { SECOND } from '../lib/time.ts';

/** How long a result answers further requests (ms), so that two Prometheus servers cost no more than one. */
export const RESULT_AGE_MS = 30 * SECOND;

/** Makes a probe that ends within `limitMs`. */
type MakeProbe<T> = (limitMs: number) => Promise<T>;

export interface CacheRequest {
  readonly key: string;
  /** How many probes may run at a time. */
  readonly parallel: number;
  /** How long the client waits (ms). */
  readonly limitMs: number;
}

interface Entry<T> {
  readonly result: Promise<T>;
  readonly limitMs: number;
  /** When the probe ended, by the monotonic clock (ms); undefined while it runs. */
  endedAt: number | undefined;
}

export interface AgedResult<T> {
  readonly result: T;
  readonly ageMs: number;
}

/** `busy`: too many probes run. `late`: the probe of another client did not end while this client waited. */
export type CacheAnswer<T> = AgedResult<T> | 'busy' | 'late';

export interface ProbeCacheOptions<T> {
  readonly clock: Clock;
  readonly isKept: (result: T) => boolean;
  /** Whether the probe ended because of its limit, so that it shows nothing to a client that waits longer. */
  readonly isTimeout: (result: T) => boolean;
}

export class ProbeCache<T> {
  readonly #options: ProbeCacheOptions<T>;
  readonly #entries = new Map<string, Entry<T>>();
  #running = 0;

  constructor(options: ProbeCacheOptions<T>) {
    this.#options = options;
  }

  /** Returns a result of the last 30 seconds or of a running probe with this key, or probes. A rejection is not kept. */
  async get(request: CacheRequest, probe: MakeProbe<T>): Promise<CacheAnswer<T>> {
    const { clock } = this.#options;
    const beganAt = clock.monotonic();
    const leftMs = (): number => request.limitMs - (clock.monotonic() - beganAt);
    for (;;) {
      this.#deleteOld();
      const known = this.#entries.get(request.key);
      if (!known) return this.#probe({ ...request, limitMs: leftMs() }, probe);
      const isRunning = known.endedAt === undefined;
      if (isRunning && !(await isEndedWithin(known.result, leftMs(), clock))) return 'late';
      const result = await known.result;
      if (known.limitMs >= leftMs() || !this.#options.isTimeout(result)) return this.#aged(known, result);
      // The probe was made for a client that waits less, so this client needs another one.
      this.#delete(request.key, known);
    }
  }

  async #probe({ key, parallel, limitMs }: CacheRequest, probe: MakeProbe<T>): Promise<CacheAnswer<T>> {
    if (this.#running >= parallel) return 'busy';
    const entry = this.#start(key, limitMs, probe);
    return this.#aged(entry, await entry.result);
  }

  #start(key: string, limitMs: number, probe: MakeProbe<T>): Entry<T> {
    this.#running += 1;
    const entry: Entry<T> = { result: this.#run(limitMs, probe), limitMs, endedAt: undefined };
    this.#entries.set(key, entry);
    entry.result.then(
      (result) => {
        entry.endedAt = this.#options.clock.monotonic();
        if (!this.#options.isKept(result)) this.#delete(key, entry);
      },
      () => this.#delete(key, entry),
    );
    return entry;
  }

  async #run(limitMs: number, probe: MakeProbe<T>): Promise<T> {
    try {
      return await probe(limitMs);
    } finally {
      this.#running -= 1;
    }
  }

  #aged({ endedAt }: Entry<T>, result: T): AgedResult<T> {
    const now = this.#options.clock.monotonic();
    return { result, ageMs: now - (endedAt ?? now) };
  }

  #delete(key: string, entry: Entry<T>): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
  }

  #deleteOld(): void {
    const oldest = this.#options.clock.monotonic() - RESULT_AGE_MS;
    for (const [key, { endedAt }] of this.#entries)
      if (endedAt !== undefined && endedAt <= oldest) this.#entries.delete(key);
  }
}

/** Whether the work ended, or failed, within the limit (ms). The work goes on after the limit. */
export const isEndedWithin = async (
  work: Promise<unknown>,
  limitMs: number,
  clock: Clock,
): Promise<boolean> => {
  const ended = new AbortController();
  const settled = work.then(
    () => true,
    () => true,
  );
  const late = clock.sleep(limitMs, ended.signal).then(
    () => false,
    () => true,
  );
  const isEnded = await Promise.race([settled, late]);
  ended.abort();
  return isEnded;
};
