// Owns the thread that compares passwords. It exists only while passwords wait, because it needs about 10 MB.

import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

/** The worker is TypeScript in a checkout, and JavaScript in the package. */
const WORKER = new URL(`./bcrypt-worker${extname(import.meta.url)}`, import.meta.url);

export class BcryptThread {
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
