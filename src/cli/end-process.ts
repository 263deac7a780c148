// Ends the process of a command soon after its output, also while a lookup of the system still runs.

import type { Writable } from 'node:stream';

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
