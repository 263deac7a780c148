// Tests combined CRCs against those of real concatenations.

import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { combineCrc32, shiftOf } from '../../src/metrics/slice.ts';

it('gives the CRC of the concatenation', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 300 }), (a, b) => {
      expect(combineCrc32(crc32(a), crc32(b), shiftOf(b.length))).toBe(crc32(Buffer.concat([a, b])));
    }),
  );
});

it('is associative for any length, so that none overflows', () => {
  const crc = fc.nat({ max: 2 ** 32 - 1 });
  const length = fc.nat({ max: 2 ** 48 });
  fc.assert(
    fc.property(crc, crc, crc, length, length, (a, b, c, lengthB, lengthC) => {
      const left = combineCrc32(combineCrc32(a, b, shiftOf(lengthB)), c, shiftOf(lengthC));
      const right = combineCrc32(a, combineCrc32(b, c, shiftOf(lengthC)), shiftOf(lengthB + lengthC));
      expect(left).toBe(right);
    }),
  );
});
