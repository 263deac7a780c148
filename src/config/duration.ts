// Parses and formats durations in Prometheus notation, such as 500ms, 1h30m and 7d, and parses amounts of data, such as 10GiB.

import { z } from 'zod';
import { DAY, HOUR, MINUTE, SECOND } from '../lib/time.ts';
import { parsedText } from './parsed-text.ts';

export interface DurationLimits {
  /** Milliseconds. */
  readonly min?: number;
  /** Milliseconds. */
  readonly max?: number;
}

// Largest first, which is the order that the parts of 1h30m must have.
const UNITS = { w: 7 * DAY, d: DAY, h: HOUR, m: MINUTE, s: SECOND, ms: 1 } as const;
const PARTS = Object.keys(UNITS).map((unit) => `(?:(\\d+)${unit})?`);
const PATTERN = new RegExp(`^(?=\\d)${PARTS.join('')}$`);

/** Schema of a duration in milliseconds, written like 30s, 5m or 7d; both limits are inclusive. */
export const duration = ({ min = 0, max = Number.MAX_SAFE_INTEGER }: DurationLimits = {}) => {
  const lower = min > 0 ? `, at least ${formatDuration(min)}` : '';
  const upper = max < Number.MAX_SAFE_INTEGER ? `, at most ${formatDuration(max)}` : '';
  const parse = (text: string): number | undefined => {
    const ms = parseDuration(text);
    return ms !== undefined && ms >= min && ms <= max ? ms : undefined;
  };
  return parsedText(`a duration such as 30s, 5m or 7d${lower}${upper}`, parse).meta({
    description: `A duration such as 30s, 5m or 7d${lower}${upper}.`,
    pattern: PATTERN.source,
    examples: ['30s', '5m', '7d'],
  });
};

/** Returns milliseconds, or undefined if the text is not a duration. */
export const parseDuration = (text: string): number | undefined => {
  const match = PATTERN.exec(text);
  if (!match) return undefined;
  return Object.values(UNITS).reduce((sum, ms, i) => sum + Number(match[i + 1] ?? 0) * ms, 0);
};

/** Formats whole milliseconds in the largest units: 90000 becomes 1m30s. */
export const formatDuration = (ms: number): string => {
  let rest = ms;
  let text = '';
  for (const [unit, width] of Object.entries(UNITS)) {
    const count = Math.floor(rest / width);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * width;
  }
  return text || '0s';
};

const SIZE_UNITS: Record<string, number> = {
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
const SIZE_PATTERN = new RegExp(`^(\\d+(?:\\.\\d+)?) ?(${Object.keys(SIZE_UNITS).join('|')})$`);
const EXPECTED_SIZE = 'a size such as 10GiB or 500MB, or a number of bytes';

/** Schema of a size in bytes, written like 10GiB, 500MB or 1048576. */
export const size = () => {
  const text = parsedText(EXPECTED_SIZE, parseSize).meta({ pattern: SIZE_PATTERN.source });
  return z.union([z.int().nonnegative(), text], { error: `expected ${EXPECTED_SIZE}` }).meta({
    description: 'A size such as 10GiB or 500MB, or a number of bytes.',
    examples: ['10GiB', '500MB'],
  });
};

/** Returns bytes, rounded, or undefined if the text is not a size or exceeds the safe integers. */
const parseSize = (text: string): number | undefined => {
  const [, amount, unit = ''] = SIZE_PATTERN.exec(text) ?? [];
  const bytes = Math.round(Number(amount) * (SIZE_UNITS[unit] ?? 1));
  return Number.isSafeInteger(bytes) ? bytes : undefined;
};
