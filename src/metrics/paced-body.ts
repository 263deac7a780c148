// Sends prepared bytes at the pace of the reader, in blocks, so that no client keeps the event loop from the others.

import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';

/**
 * The kernel takes up to 4 MB for a client that reads nothing. In blocks, a thousand such clients take these megabytes
 * bit by bit, while the scrapes of other clients go on.
 */
const BLOCK_BYTES = 1024 * 1024;
/** Chunks up to this size are joined, because each write costs as much as copying them. */
const SMALL_BYTES = 64 * 1024;

/** Returns a stream of the chunks. It copies only small chunks, and only while they are read. */
export const pacedBody = (chunks: readonly Buffer[]): Readable => Readable.from(blocksOf(chunks));

const blocksOf = async function* (chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  let bytes = 0;
  for (const joined of joinSmall(chunks)) {
    for (let from = 0; from < joined.length; from += BLOCK_BYTES) {
      if (bytes >= BLOCK_BYTES) {
        await setImmediate();
        bytes = 0;
      }
      const block = joined.subarray(from, from + BLOCK_BYTES);
      bytes += block.length;
      yield block;
    }
  }
};

/** Joins neighbouring chunks to at most SMALL_BYTES. Larger chunks stay as they are. */
const joinSmall = function* (chunks: readonly Buffer[]): Generator<Buffer> {
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
