// Randomness without state: every draw is a hash, so the same seed and time give the same account.

import { createHash } from 'node:crypto';

/** A 32-bit hash of two 32-bit numbers (the finalizer of MurmurHash3); chain it to mix in more. */
export const mix = (a: number, b: number): number => {
  let hash = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ b;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
};

/** A 32-bit hash of a text (FNV-1a). */
export const hashText = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
};

/** Draw number `n` of the stream `hash`, from 0 up to but without 1. */
export const draw = (hash: number, n: number): number => mix(hash, n) / 2 ** 32;

/** One of `list`, by draw number `n` of the stream `hash`. */
export const pick = <L extends readonly [unknown, ...unknown[]]>(
  hash: number,
  n: number,
  list: L,
): L[number] => list[Math.floor(draw(hash, n) * list.length)];

/** A UUID (version 4 in shape) that stands for `name` under `seed`. */
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

/** Places of 0, 1, 2, … in [0, 1) that fill it evenly from the first few on: shares come out right in small sets. */
export const spread = (index: number, turn: number): number => (index * turn + 0.5) % 1;
