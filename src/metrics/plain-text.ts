// Inflates the exposition for clients without gzip: a few at a time and piece by piece, as fast as each client reads.

import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../lib/clock.ts';
import { SECOND } from '../lib/time.ts';
import { afterDelay, type TurnLimits, Turns } from '../lib/turns.ts';
import { plainOf, type Slice } from './slice.ts';

/** Inflating 600,000 series takes a third of a second of CPU time, so only a few clients get them at a time. */
const LIMITS: TurnLimits = {
  running: 4,
  waiting: 100,
  waitMs: 5 * SECOND,
  refusal: 'too many clients request the metrics without gzip; accept gzip, or try again',
};
/** While others wait, a client that read nothing for this long loses its turn (ms). */
const STALL_MS = 2 * SECOND;
/** Pieces are joined up to this size (bytes), because the start of each inflation costs as much as some kilobytes. */
const BLOCK_BYTES = 64 * 1024;

interface Body {
  /** Since when the client has not taken a block (ms); undefined while the next block is prepared. */
  waitsSince: number | undefined;
}

export class PlainText {
  readonly #clock: Clock;
  readonly #turns: Turns;
  readonly #bodies = new Map<Readable, Body>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#turns = new Turns(LIMITS, clock);
  }

  /** Resolves to the text of the slices and of the last one. Throws BusyError if too many clients want it. */
  async open(slices: readonly Slice[], last: Slice, isGone?: () => boolean): Promise<Readable> {
    const turn = await this.#takeTurn(isGone);
    const body: Body = { waitsSince: undefined };
    const stream = Readable.from(this.#blocks(withLast(slices, last), body));
    this.#bodies.set(stream, body);
    return stream.once('close', () => {
      this.#bodies.delete(stream);
      turn[Symbol.dispose]();
    });
  }

  async #takeTurn(isGone: (() => boolean) | undefined): Promise<Disposable> {
    if (!this.#turns.areTaken) return this.#turns.take(isGone);
    this.#endStalled();
    using _ = afterDelay(this.#clock, STALL_MS, () => this.#endStalled());
    return await this.#turns.take(isGone);
  }

  #endStalled(): void {
    const now = this.#clock.monotonic();
    for (const [stream, { waitsSince = now }] of this.#bodies)
      if (now - waitsSince >= STALL_MS) stream.destroy();
  }

  async *#blocks(slices: Iterable<Slice>, body: Body): AsyncGenerator<Buffer> {
    for (const block of blocksOf(slices)) {
      // Inflating is synchronous like deflating, because the thread pool costs more. Other work runs between two blocks.
      await setImmediate();
      const plain = plainOf(block);
      body.waitsSince = this.#clock.monotonic();
      yield plain;
      body.waitsSince = undefined;
    }
  }
}

interface Block {
  readonly deflated: Buffer;
  readonly length: number;
}

/** Copies no list, because an answer to a client that reads slowly keeps it for long. */
const withLast = function* (slices: readonly Slice[], last: Slice): Generator<Slice> {
  yield* slices;
  yield last;
};

/** Joins neighbouring pieces to blocks of at least BLOCK_BYTES. */
const blocksOf = function* (slices: Iterable<Slice>): Generator<Block> {
  let [pieces, length]: [Buffer[], number] = [[], 0];
  for (const slice of slices) {
    let from = 0;
    for (const piece of slice.pieces) {
      pieces.push(slice.deflated.subarray(from, from + piece.deflatedLength));
      from += piece.deflatedLength;
      length += piece.length;
      if (length < BLOCK_BYTES) continue;
      yield { deflated: Buffer.concat(pieces), length };
      [pieces, length] = [[], 0];
    }
  }
  if (length > 0) yield { deflated: Buffer.concat(pieces), length };
};
