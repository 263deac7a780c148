// Times in answers for programs.

/** `at` in milliseconds; what is not known stays null. */
export const rfc3339 = (at: number | null): string | null =>
  at === null ? null : new Date(at).toISOString();
