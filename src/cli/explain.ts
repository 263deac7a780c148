// What an operator reads of an error that ended a command.

import { ZodError } from 'zod';
import { ConfigError } from '../config/config-error.ts';
import { StoreError } from '../store/errors.ts';

/** Mistakes and errors written to be read stand as they are; of a fault of the program its stack helps to report it. */
export const explain = (error: unknown): string => {
  if (error instanceof ConfigError) return error.message;
  if (error instanceof StoreError) return `proxywatch: ${error.message}`;
  if (error instanceof ZodError)
    return error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n');
  if (error instanceof Error && 'code' in error) return `proxywatch: ${error.message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
};
