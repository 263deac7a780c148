// What an operator reads of an error that ended a command.

import { ConfigError } from '../config/config-error.ts';
import { ProviderError } from '../provider/errors.ts';
import { StoreError } from '../store/errors.ts';

/** Mistakes and errors written to be read stand as they are; of a fault of the program its stack helps to report it. */
export const explain = (error: unknown): string => {
  if (error instanceof ConfigError) return error.message;
  if (!(error instanceof Error)) return `error: ${error}`;
  if (error.name === 'AbortError') return 'error: stopped before the end';
  const isReadable =
    error instanceof StoreError ||
    error instanceof ProviderError ||
    isOfSystem(error) ||
    isOfSystem(error.cause);
  return isReadable ? `error: ${error.message}` : (error.stack ?? `error: ${error.message}`);
};

/** Of a call to the system that failed: the operator's to mend, such as a port that is taken. */
const isOfSystem = (error: unknown): boolean => error instanceof Error && 'syscall' in error;
