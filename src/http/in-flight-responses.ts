// Tracks the responses in flight, so that a stop can wait a moment for them to end.

import type { FastifyInstance } from 'fastify';
import type { Clock } from '../lib/clock.ts';

export class InFlightResponses {
  readonly #open = new Set<Promise<void>>();

  constructor(app: FastifyInstance) {
    app.addHook('onRequest', async (_request, { raw: response }) => {
      // A response closes when it has been sent, and when its connection is lost.
      const closed = new Promise<void>((resolve) => response.once('close', resolve));
      this.#open.add(closed);
      closed.then(() => this.#open.delete(closed));
    });
  }

  /** Resolves when the responses that are open now have ended, or after `graceMs` (ms). */
  async drain(graceMs: number, clock: Clock): Promise<void> {
    const done = new AbortController();
    const timeout = clock.sleep(graceMs, done.signal).catch(() => {});
    await Promise.race([Promise.all(this.#open), timeout]);
    done.abort();
  }
}
