// Writes a time for people, to the minute.

/** `at` is in milliseconds since the epoch. The text is in UTC, such as `2026-07-06 12:01 UTC`. */
export const minuteText = (at: number): string =>
  `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
