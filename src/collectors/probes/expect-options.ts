// Defines the configuration schema of what the answer of a target must have.

import { z } from 'zod';
import { parsedText } from '../../config/parsed-text.ts';

const toRegExp = (text: string): RegExp | undefined => {
  try {
    return new RegExp(text);
  } catch {
    return undefined;
  }
};

const regex = () => parsedText('a regular expression', toRegExp).meta({ format: 'regex' });

const statusCode = () => z.int().min(100).max(599);

export const expectOptions = z.strictObject({
  status: z
    .union([statusCode().transform((status) => [status]), z.array(statusCode()).min(1)], {
      error: 'expected a status code from 100 to 599, or a list of them',
    })
    .optional()
    .describe('Status codes. The default is 200 to 399'),
  headers: z
    .record(z.string().min(1).toLowerCase(), regex())
    .optional()
    .describe('Headers by name, each with a regular expression that its value must match'),
  body: regex().optional().describe('Regular expression that the first 64 kB of the body must match'),
});
