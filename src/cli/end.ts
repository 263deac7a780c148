// Describes the error that ended a command, and ends the process soon after, also while a lookup of the system runs.

import type { Writable } from 'node:stream';
import { ConfigError } from '../config/config-error.ts';
import { ProviderError } from '../provider/errors.ts';
import { StoreError } from '../store/errors.ts';
import { DEFAULT_CONFIG } from './options.ts';

/** Its message says what to do, and holds no secret. */
export class DaemonError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DaemonError';
  }
}

/** Errors with messages for operators are shown as they are. Any other error is a bug, which its stack helps to report. */
export const describeError = (error: unknown): string => {
  if (error instanceof ConfigError) return `${error.message}${hintAt(error)}`;
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

/** The default file is missing before the first configuration exists, and in another folder. */
const hintAt = ({ mistakes: [mistake], cause }: ConfigError): string =>
  mistake?.file === DEFAULT_CONFIG && isSystemError(cause) && (cause as { code?: unknown }).code === 'ENOENT'
    ? '\nGive the path of your configuration with --config, or create one with "proxywatch init".'
    : '';

/** Whether a system call failed, which the operator can fix, such as a port that is in use. */
const isSystemError = (error: unknown): boolean => error instanceof Error && 'syscall' in error;

/** What a command leaves behind ends by itself in this time, unless it hangs. */
const GRACE_MS = 100;

/**
 * A lookup for which no DNS server answers occupies a thread for 10 s or longer, and nothing can end it. It keeps the
 * event loop alive, and even `process.exit` waits for its thread. Only another program in place of this one ends it.
 */
export const endSoon = async (): Promise<void> => {
  await Promise.all([written(process.stdout), written(process.stderr)]);
  setTimeout(() => endAtOnce(Number(process.exitCode)), GRACE_MS).unref();
};

/** The reader of a pipe can be slower than the command. */
const written = (stream: Writable): Promise<void> =>
  new Promise((resolve) => void stream.write('', () => resolve()));

const endAtOnce = (exitCode: number): void => {
  const { execPath } = process;
  // Windows has no such call, and does not wait for threads.
  if (process.platform === 'win32' || !process.execve) process.exit(exitCode);
  process.execve(execPath, [execPath, '-e', `process.exit(${exitCode})`]);
};
