// Builds schemas of values that are written as text, such as durations and sizes.

import { z } from 'zod';

/**
 * Schema of the value that `parse` returns. Undefined is a mistake, reported as `expected …, found …`, or with the
 * message of `explain` if given, which must not contain any part of a secret text.
 */
export const parsedText = <T>(
  expected: string,
  parse: (text: string) => T | undefined,
  explain?: (text: string) => string,
) => {
  const message = `expected ${expected}`;
  return z.string({ error: message }).transform((text, context): T => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue(explain?.(text) ?? message);
    return z.NEVER;
  });
};
