// Compares one password after another, on a thread of its own. The queue is bounded, and a comparison that no client waits
// for is dropped.

import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

/** Whether the password matches the hash, or why that is unknown. */
export type Comparison = boolean | 'full' | 'dropped';

interface Turn {
  readonly result: Promise<Comparison>;
  readonly dropped: AbortController;
  clients: number;
}

export class ComparisonQueue {
  readonly #capacity: number;
  readonly #thread = new BcryptThread();
  /** In their order; the first one's password is being compared. */
  readonly #turns = new Map<string, Turn>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Requests with the same `key` share one turn. It is dropped when all of them are `gone`. Rejects if the thread fails. */
  async compare(key: string, password: string, hash: string, gone: AbortSignal): Promise<Comparison> {
    if (gone.aborted) return 'dropped';
    const known = this.#turns.get(key);
    if (!known && this.#turns.size >= this.#capacity) return 'full';
    const turn = known ?? this.#add(key, password, hash);
    turn.clients += 1;
    const leave = (): void => {
      turn.clients -= 1;
      if (turn.clients === 0) this.#drop(key, turn);
    };
    gone.addEventListener('abort', leave, { once: true });
    try {
      return await turn.result;
    } finally {
      gone.removeEventListener('abort', leave);
    }
  }

  #add(key: string, password: string, hash: string): Turn {
    const dropped = new AbortController();
    const { signal } = dropped;
    const compared = this.#last.then(() => this.#thread.compare(password, hash, signal));
    const result = compared.catch((error): Comparison => {
      if (signal.aborted) return 'dropped';
      throw error;
    });
    const turn = { result, dropped, clients: 0 };
    this.#turns.set(key, turn);
    this.#last = result.catch(() => {}).finally(() => this.#remove(key, turn));
    return turn;
  }

  #drop(key: string, turn: Turn): void {
    turn.dropped.abort();
    this.#remove(key, turn);
  }

  #remove(key: string, turn: Turn): void {
    if (this.#turns.get(key) === turn) this.#turns.delete(key);
    if (this.#turns.size === 0) this.#thread.end();
  }
}

/** The worker is TypeScript in a checkout, and JavaScript in the package. */
const WORKER = new URL(`./bcrypt-worker${extname(import.meta.url)}`, import.meta.url);

/** Exists only while passwords wait, because a thread needs about 10 MB. */
class BcryptThread {
  #worker: Worker | undefined;

  /** Call it again only after the last call has ended. An abort ends the comparison, and rejects. */
  async compare(password: string, hash: string, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    this.#worker ??= startWorker();
    this.#worker.postMessage({ password, hash });
    try {
      const [matches] = await once(this.#worker, 'message', { signal });
      return matches;
    } catch (error) {
      this.end();
      throw error;
    }
  }

  end(): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
  }
}

const startWorker = (): Worker => {
  const worker = new Worker(WORKER, { resourceLimits: { maxOldGenerationSizeMb: 16 } });
  // It must not delay the end of the process, nor end it by an error that nobody waits for.
  worker.unref();
  worker.on('error', () => {});
  return worker;
};
