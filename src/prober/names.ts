// Resolves names: probes share running lookups and their answers, and other lookups wait for their turn.

import { lookup as systemLookup } from 'node:dns';
import type { Clock } from '../lib/clock.ts';

/** Node.js gives names at most two of its four threads, so one slow lookup would hold up those of all connections. */
const MAX_LOOKUPS = 2;
/**
 * The proxies of a gateway have one name, and are probed one right after another. The system does not say how long an
 * answer is valid. A few seconds save most lookups, and no provider takes an address out of use so fast.
 */
const KEPT_MS = 5_000;
/** More names than are resolved in this time. */
const MAX_KEPT = 1_000;

export type Answer = readonly string[] | Error;
export type Lookup = (host: string, onEnd: (answer: Answer) => void) => void;

export interface Asker {
  /** Called when the lookup starts; at once if it runs already, or if the answer is known. */
  readonly onStart: () => void;
  readonly onEnd: (answer: Answer) => void;
}

interface Asked {
  readonly askers: Set<Asker>;
  isRunning: boolean;
}

export const lookUp: Lookup = (host, onEnd) =>
  systemLookup(host, { all: true }, (error, found) => onEnd(error ?? found.map(({ address }) => address)));

export class Names {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #lookup: Lookup;
  /** Those that run and those that wait, in the order in which they were asked. */
  readonly #asked = new Map<string, Asked>();
  /** In the order of their age. */
  readonly #kept = new Map<string, { readonly addresses: readonly string[]; readonly until: number }>();
  #running = 0;

  constructor(clock: Pick<Clock, 'monotonic'>, lookup: Lookup) {
    this.#clock = clock;
    this.#lookup = lookup;
  }

  /** Returns a function that ends the wait. A lookup for which nobody waits any more never starts. */
  ask(host: string, asker: Asker): () => void {
    const name = host.toLowerCase();
    const kept = this.#kept.get(name);
    if (kept && kept.until > this.#clock.monotonic()) {
      asker.onStart();
      asker.onEnd(kept.addresses);
      return () => {};
    }
    const asked = this.#asked.get(name) ?? { askers: new Set(), isRunning: false };
    this.#asked.set(name, asked);
    asked.askers.add(asker);
    if (asked.isRunning) asker.onStart();
    else this.#startNext();
    return () => this.#leave(name, asked, asker);
  }

  #leave(name: string, { askers, isRunning }: Asked, asker: Asker): void {
    askers.delete(asker);
    if (!isRunning && askers.size === 0) this.#asked.delete(name);
  }

  #startNext(): void {
    for (const [name, asked] of this.#asked) {
      if (this.#running >= MAX_LOOKUPS) return;
      if (!asked.isRunning) this.#start(name, asked);
    }
  }

  #start(name: string, asked: Asked): void {
    asked.isRunning = true;
    this.#running += 1;
    for (const { onStart } of asked.askers) onStart();
    const onEnd = (answer: Answer): void => {
      this.#running -= 1;
      this.#asked.delete(name);
      this.#keep(name, answer);
      for (const asker of asked.askers) asker.onEnd(answer);
      this.#startNext();
    };
    try {
      this.#lookup(name, onEnd);
    } catch (error) {
      // Node.js throws for a name that no name can be. It would end a probe that waits for another name.
      onEnd(error instanceof Error ? error : new Error('the name could not be looked up'));
    }
  }

  /** Failures are not kept: the next probe shows whether the name has come back. */
  #keep(name: string, answer: Answer): void {
    this.#kept.delete(name);
    if (answer instanceof Error || answer.length === 0) return;
    const now = this.#clock.monotonic();
    for (const [oldest, { until }] of this.#kept) {
      if (until > now && this.#kept.size < MAX_KEPT) break;
      this.#kept.delete(oldest);
    }
    this.#kept.set(name, { addresses: answer, until: now + KEPT_MS });
  }
}
