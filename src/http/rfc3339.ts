// Formats the times in JSON answers.

/** Formats `at` (ms) as RFC 3339 in UTC; null stays null. */
export const rfc3339 = <T extends number | null>(at: T) =>
  (at === null ? null : new Date(at).toISOString()) as T extends number ? string : null;
