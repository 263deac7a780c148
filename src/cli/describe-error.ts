// Describes to the operator the error that ended a command.

import { ConfigError } from '../config/config-error.ts';
import { ProviderError } from '../provider/errors.ts';
import { StoreError } from '../store/errors.ts';
import { DaemonError } from './daemon-client/daemon-error.ts';

/** Errors with messages for operators are shown as they are. Any other error is a bug, which its stack helps to report. */
export const describeError = (error: unknown): string => {
  if (error instanceof ConfigError) return error.message;
  if (!(error instanceof Error)) return `error: ${error}`;
  if (error.name === 'AbortError') return 'error: a signal stopped the command before its end';
  const isReadable =
    error instanceof StoreError ||
    error instanceof ProviderError ||
    error instanceof DaemonError ||
    isSystemError(error) ||
    isSystemError(error.cause);
  return isReadable ? `error: ${error.message}` : (error.stack ?? `error: ${error.message}`);
};

/** Whether a system call failed, which the operator can fix, such as a port that is in use. */
const isSystemError = (error: unknown): boolean => error instanceof Error && 'syscall' in error;
