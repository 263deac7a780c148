// Sends prepared bytes in blocks at the reader's pace, and inflates the exposition for clients without gzip.

import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../lib/clock.ts';
import { SECOND } from '../lib/time.ts';
import { afterDelay, type TurnLimits, Turns } from '../lib/turns.ts';
import { plainOf, type Slice } from './slice.ts';

/** The bodies share TURN_BYTES in each turn of the event loop, but each of them may send MIN_BLOCK_BYTES. */
const TURN_BYTES = 8 * 1024 * 1024;
const MIN_BLOCK_BYTES = 1024 * 1024;
/** Chunks up to this size are joined, because each write costs as much as copying them. */
const SMALL_BYTES = 64 * 1024;

/**
 * The kernel takes up to 4 MB for a client that reads nothing. In blocks, a thousand such clients take these megabytes
 * bit by bit, while the scrapes of other clients go on. A single client gets many megabytes in each turn of the event
 * loop, because turns cost time.
 */
export class PacedBodies {
  #open = 0;

  /** Returns a stream of the chunks. It copies only small chunks, and only while they are read. */
  open(chunks: Iterable<Buffer>): Readable {
    this.#open += 1;
    return Readable.from(this.#blocksOf(chunks)).once('close', () => {
      this.#open -= 1;
    });
  }

  async *#blocksOf(chunks: Iterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = 0;
    for (const joined of joinSmall(chunks)) {
      for (let from = 0; from < joined.length; ) {
        const blockBytes = Math.max(MIN_BLOCK_BYTES, TURN_BYTES / this.#open);
        if (bytes >= blockBytes) {
          await setImmediate();
          bytes = 0;
        }
        const block = joined.subarray(from, from + blockBytes);
        [from, bytes] = [from + block.length, bytes + block.length];
        yield block;
      }
    }
  }
}

/** Joins neighbouring chunks to at most SMALL_BYTES. Larger chunks stay as they are. */
const joinSmall = function* (chunks: Iterable<Buffer>): Generator<Buffer> {
  let [small, length]: [Buffer[], number] = [[], 0];
  for (const chunk of chunks) {
    if (length > 0 && length + chunk.length > SMALL_BYTES) {
      yield Buffer.concat(small);
      [small, length] = [[], 0];
    }
    if (chunk.length > SMALL_BYTES) {
      yield chunk;
    } else {
      small.push(chunk);
      length += chunk.length;
    }
  }
  if (length > 0) yield Buffer.concat(small);
};

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
