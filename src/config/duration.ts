// Parses and formats durations in Prometheus notation, such as 500ms, 1h30m and 7d.

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
