// Deflates texts independently into slices that can be joined in any order to one gzip member.

import { constants, crc32, deflateRawSync } from 'node:zlib';
import { combineCrc32 } from './crc32.ts';

export interface Slice {
  /** Raw deflate blocks without a final block. A full flush ends them on a byte boundary. */
  readonly deflated: Buffer;
  /** The length of the plain text in bytes. */
  readonly length: number;
  /** CRC-32 of the plain text. */
  readonly crc: number;
  /** The parts of `deflated` that can be inflated independently, in order. */
  readonly pieces: readonly Piece[];
}

/** Lengths in bytes. */
export interface Piece {
  readonly deflatedLength: number;
  /** The length of the plain text. */
  readonly length: number;
}

// A full flush instead of the final block allows another slice to follow.
// Level 3 takes half the time of the default level 6 and gives 3 % more bytes.
const OPTIONS = { finishFlush: constants.Z_FULL_FLUSH, level: 3 };
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
// This block is empty and marked as the last one.
const FINAL_BLOCK = Buffer.from([0x03, 0x00]);

/** Deflates synchronously, because a stream in the thread pool costs more CPU than the deflating itself. */
export const sliceOf = (plain: Buffer): Slice => {
  // zlib returns a view of a 64 KiB buffer, which may be ten times as large as the data, so this keeps a copy.
  const deflated = Buffer.from(deflateRawSync(plain, OPTIONS));
  const { length } = plain;
  return { deflated, length, crc: crc32(plain), pieces: [{ deflatedLength: deflated.length, length }] };
};

export const joinSlices = (slices: readonly Slice[]): Slice => ({
  ...sumsOf(slices),
  deflated: Buffer.concat(slices.map(({ deflated }) => deflated)),
  pieces: slices.flatMap(({ pieces }) => pieces),
});

/**
 * Returns the slices as one complete gzip file, in chunks that share the slices' memory. The file has a single member,
 * because `curl --compressed` (7.88) silently stops after the first one.
 */
export const gzipChunks = (slices: readonly Slice[]): readonly Buffer[] => {
  const { length, crc } = sumsOf(slices);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(length % 2 ** 32, 4);
  return [GZIP_HEADER, ...slices.map(({ deflated }) => deflated), FINAL_BLOCK, trailer];
};

const sumsOf = (slices: readonly Slice[]): Pick<Slice, 'length' | 'crc'> => {
  let length = 0;
  let crc = 0;
  for (const slice of slices) {
    crc = combineCrc32(crc, slice.crc, slice.length);
    length += slice.length;
  }
  return { length, crc };
};
