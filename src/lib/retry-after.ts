// Reads from a 429 how long the provider asks to wait.

import { HOUR, MINUTE, SECOND } from './time.ts';

const UNITS: Readonly<Record<string, number>> = { second: SECOND, minute: MINUTE, hour: HOUR };

/**
 * Returns the milliseconds to wait, or undefined if the answer does not name a time. `Retry-After` comes
 * first: seconds, or a date that is compared with the answer's own `Date`, so that the clocks need not agree.
 * Without it the message is searched, because the API's documentation shows only that ("Please try again in
 * 45 seconds.").
 */
export const retryAfterMs = (
  retryAfter: string | undefined,
  answeredAt: number,
  message: string,
): number | undefined => {
  const header = parseRetryAfter(retryAfter);
  if (header?.kind === 'seconds') return header.value * SECOND;
  if (header?.kind === 'date') return Math.max(0, header.value - answeredAt);
  const [, count, unit] = /try again in (\d{1,9}(?:\.\d+)?) (second|minute|hour)/i.exec(message) ?? [];
  if (count === undefined) return undefined;
  return Number(count) * (UNITS[unit?.toLowerCase() ?? ''] ?? SECOND);
};

/** Returns the seconds or the date (ms) of a `Retry-After`, or undefined if it is neither. */
export const parseRetryAfter = (
  header: string | undefined,
): { readonly kind: 'seconds' | 'date'; readonly value: number } | undefined => {
  const text = header?.trim() ?? '';
  if (SECONDS.test(text)) return { kind: 'seconds', value: Number(text) };
  const value = Date.parse(text);
  // Date.parse reads "-5" as a month.
  return HAS_LETTERS.test(text) && !Number.isNaN(value) ? { kind: 'date', value } : undefined;
};

/** No wait has more digits. Some servers send a fraction. */
const SECONDS = /^\d{1,9}(\.\d{1,9})?$/;
const HAS_LETTERS = /[a-z]/i;
