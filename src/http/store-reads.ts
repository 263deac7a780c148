// Lets only a few requests read the store at a time. Others wait for their turn, or get 503.

import type { FastifyReply } from 'fastify';
import type { Clock } from '../lib/clock.ts';
import { Turns } from '../lib/turns.ts';
import { STORE_READS } from './limits.ts';

export class StoreReads {
  readonly #turns: Turns;

  constructor(clock: Clock) {
    this.#turns = new Turns(STORE_READS, clock);
  }

  /** The turn ends when the answer has been prepared, and not when the client has read it. Throws BusyError. */
  inTurn(reply: FastifyReply, answer: () => Promise<FastifyReply>): Promise<FastifyReply> {
    const { socket } = reply.request.raw;
    return this.run(() => socket.destroyed, answer);
  }

  /** Throws BusyError. */
  async run<T>(isGone: () => boolean, read: () => Promise<T>): Promise<T> {
    using _ = await this.#turns.take(isGone);
    return await read();
  }
}
