// Parses amounts of data, such as 10GiB, 500MB or a plain number of bytes.

import { z } from 'zod';
import { parsedText } from './parsed-text.ts';

const UNITS: Record<string, number> = {
  B: 1,
  kB: 1e3,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};
const PATTERN = new RegExp(`^(\\d+(?:\\.\\d+)?) ?(${Object.keys(UNITS).join('|')})$`);
const EXPECTED = 'a size such as 10GiB or 500MB, or a number of bytes';

/** Schema of a size in bytes, written like 10GiB, 500MB or 1048576. */
export const size = () => {
  const text = parsedText(EXPECTED, parseSize).meta({ pattern: PATTERN.source });
  return z.union([z.int().nonnegative(), text], { error: `expected ${EXPECTED}` }).meta({
    description: 'A size such as 10GiB or 500MB, or a number of bytes.',
    examples: ['10GiB', '500MB'],
  });
};

/** Returns bytes, rounded, or undefined if the text is not a size or exceeds the safe integers. */
export const parseSize = (text: string): number | undefined => {
  const [, amount, unit = ''] = PATTERN.exec(text) ?? [];
  const bytes = Math.round(Number(amount) * (UNITS[unit] ?? 1));
  return Number.isSafeInteger(bytes) ? bytes : undefined;
};
