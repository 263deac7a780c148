// How long the provider asks to be left alone after it refused a request.

import { HOUR, MINUTE, SECOND } from '../lib/time.ts';

const UNITS: Readonly<Record<string, number>> = { second: SECOND, minute: MINUTE, hour: HOUR };

/**
 * Milliseconds to wait, or undefined when the answer does not say: from `Retry-After` (seconds, or a date that is
 * read against the answer's own `Date`, so that clocks need not agree), else from the words of the message, which
 * are all that the API's documentation shows ("Please try again in 45 seconds.").
 */
export const retryAfterMs = (
  retryAfter: string | undefined,
  answeredAt: number,
  message: string,
): number | undefined => {
  if (retryAfter !== undefined) {
    if (/^\d+$/.test(retryAfter.trim())) return Number(retryAfter) * SECOND;
    const until = Date.parse(retryAfter);
    if (!Number.isNaN(until)) return Math.max(0, until - answeredAt);
  }
  const [, count, unit] = /try again in (\d+(?:\.\d+)?) (second|minute|hour)/i.exec(message) ?? [];
  if (count === undefined) return undefined;
  return Number(count) * (UNITS[unit?.toLowerCase() ?? ''] ?? SECOND);
};
