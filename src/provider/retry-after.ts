// Reads from a 429 how long the provider asks to wait.

import { HOUR, MINUTE, SECOND } from '../lib/time.ts';

const UNITS: Readonly<Record<string, number>> = { second: SECOND, minute: MINUTE, hour: HOUR };

/**
 * Returns the milliseconds to wait, or undefined if the answer does not name a time. `Retry-After` comes first: seconds,
 * or a date that is compared with the answer's own `Date`, so that the clocks need not agree. Without it the message is
 * searched, because the API's documentation shows only that ("Please try again in 45 seconds.").
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
