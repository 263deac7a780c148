// Defines the configuration schema of what the answer of a target must have.

import { z } from 'zod';
import { PatternError, TextPattern } from '../../lib/text-pattern.ts';

const pattern = () =>
  z.string({ error: 'expected a regular expression' }).transform((text, context): TextPattern => {
    try {
      return new TextPattern(text);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      context.addIssue(`expected ${error.message}`);
      return z.NEVER;
    }
  });

const statusCode = () => z.int().min(100).max(599);

export const expectOptions = z.strictObject({
  status: z
    .union([statusCode().transform((status) => [status]), z.array(statusCode()).min(1)], {
      error: 'expected a status code from 100 to 599, or a list of them',
    })
    .optional()
    .describe('Status codes. The default is 200 to 399'),
  headers: z
    .record(z.string().min(1).toLowerCase(), pattern())
    .optional()
    .describe('Headers by name, each with a regular expression (RE2 syntax) that its value must match'),
  body: pattern()
    .optional()
    .describe('Regular expression (RE2 syntax) that the first 64 kB of the body must match'),
});
