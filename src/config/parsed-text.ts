// Text that stands for something else: the ground of the primitives.

import { z } from 'zod';

/**
 * What `parse` makes of the text; undefined is a mistake, told as `expected …, found …`, or in the words of `why` where it
 * is given: these must show nothing of a text that is secret.
 */
export const parsedText = <T>(
  expected: string,
  parse: (text: string) => T | undefined,
  why?: (text: string) => string,
) => {
  const message = `expected ${expected}`;
  return z.string({ error: message }).transform((text, context): T => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue(why?.(text) ?? message);
    return z.NEVER;
  });
};
