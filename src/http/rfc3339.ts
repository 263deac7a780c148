// Formats the times and durations in JSON answers.

import { SECOND } from '../lib/time.ts';

/** Formats `at` (ms) as RFC 3339 in UTC; null stays null. */
export const rfc3339 = <T extends number | null>(at: T) =>
  (at === null ? null : new Date(at).toISOString()) as T extends number ? string : null;

/** Converts a duration (ms) to seconds; null stays null. */
export const secondsOf = <T extends number | null>(ms: T) =>
  (ms === null ? null : ms / SECOND) as T extends number ? number : null;
