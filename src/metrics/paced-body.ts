// Sends prepared bytes at the pace of the reader, in blocks, so that no client keeps the event loop from the others.

import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';

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
