// Provides stateless random numbers: every draw is a hash, so the same seed and time give the same account.

import { createHash } from 'node:crypto';

/** Returns a 32-bit hash of two 32-bit numbers (the finalizer of MurmurHash3). Chain calls to hash more. */
export const mix = (a: number, b: number): number => {
  let hash = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ b;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
};

/** Returns a 32-bit hash of a text (FNV-1a). */
export const hashText = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
};

/** Returns draw number `n` of the stream `hash`, in [0, 1). */
export const draw = (hash: number, n: number): number => mix(hash, n) / 2 ** 32;

/** Returns one element of `list`, chosen by draw number `n` of the stream `hash`. */
export const pick = <L extends readonly [unknown, ...unknown[]]>(
  hash: number,
  n: number,
  list: L,
): L[number] => list[Math.floor(draw(hash, n) * list.length)];

/** Returns a UUID, formatted as version 4, that is derived from `seed` and `name`. */
export const uuid = (seed: number, name: string): string => {
  const hex = createHash('md5').update(`${seed}:${name}`).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20),
  ].join('-');
};

/** Maps 0, 1, 2, … to positions that fill [0, 1) evenly from the start, so shares are right in small sets too. */
export const spread = (index: number, turn: number): number => (index * turn + 0.5) % 1;
