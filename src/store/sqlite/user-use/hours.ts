// Packs the hours of a day: a byte with the hour and its product types, then the bytes of each type, 7 bits in a byte.

import { METERED_TYPES } from '../../../lib/product-types.ts';
import type { UsedBytes } from '../../user-use-store.ts';

/** The use by the index of the hour in its day. Hours without use are missing. */
export type Hours = Map<number, UsedBytes>;

export const NO_BYTES: UsedBytes = { residential: 0, mobile: 0 };

/** The lower bits are the hour, which is at most 24. Each higher bit is a type. */
const HOUR_BITS = 5;
const HOUR_MASK = (1 << HOUR_BITS) - 1;

export const packHours = (hours: Hours): Uint8Array => {
  const packed: number[] = [];
  for (const [hour, bytes] of hours) {
    const types = METERED_TYPES.filter((type) => bytes[type] > 0);
    if (types.length === 0) continue;
    packed.push(types.reduce((head, type) => head | bitOf(type), hour));
    for (const type of types) packNumber(packed, bytes[type]);
  }
  return Uint8Array.from(packed);
};

export const unpackHours = (packed: Uint8Array): Hours => {
  const hours: Hours = new Map();
  for (let at = 0; at < packed.length; ) {
    const head = packed[at++] ?? 0;
    const bytes = { ...NO_BYTES };
    for (const type of METERED_TYPES) {
      if ((head & bitOf(type)) === 0) continue;
      let factor = 1;
      for (let part = 0x80; part >= 0x80; factor *= 0x80) {
        part = packed[at++] ?? 0;
        bytes[type] += (part & 0x7f) * factor;
      }
    }
    hours.set(head & HOUR_MASK, bytes);
  }
  return hours;
};

const bitOf = (type: (typeof METERED_TYPES)[number]): number =>
  1 << (HOUR_BITS + METERED_TYPES.indexOf(type));

/** Shifts would cut numbers above 32 bits. */
const packNumber = (packed: number[], value: number): void => {
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) packed.push(0x80 | (rest % 0x80));
  packed.push(rest);
};
