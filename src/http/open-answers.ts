// The answers under way, so that a stop can leave them a moment to end.

import type { FastifyInstance } from 'fastify';
import type { Clock } from '../lib/clock.ts';

export class OpenAnswers {
  readonly #closings = new Set<Promise<void>>();

  constructor(app: FastifyInstance) {
    app.addHook('onRequest', async (_request, { raw: response }) => {
      // A response closes when it is sent, and when it breaks off.
      const closing = new Promise<void>((resolve) => response.once('close', resolve));
      this.#closings.add(closing);
      closing.then(() => this.#closings.delete(closing));
    });
  }

  /** Resolves when those that are open now have ended, after `graceMs` (ms) at the latest. */
  async ended(graceMs: number, clock: Clock): Promise<void> {
    const done = new AbortController();
    const overdue = clock.sleep(graceMs, done.signal).catch(() => {});
    await Promise.race([Promise.all(this.#closings), overdue]);
    done.abort();
  }
}
