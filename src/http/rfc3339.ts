// Times in answers for programs.

/** `at` in milliseconds; what is not known stays null. */
export const rfc3339 = <T extends number | null>(at: T) =>
  (at === null ? null : new Date(at).toISOString()) as T extends number ? string : null;
