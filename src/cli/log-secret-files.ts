// Logs that the changed file of a secret is not valid, so that the former secret stays in use.

import { type RefusedChange, refusedChanges } from '../config/secret-file.ts';
import type { Log } from '../lib/log.ts';

/** Logs each refused change of any file until the result is disposed of. */
export const logSecretFiles = (log: Log): Disposable => {
  const write = (change: unknown): void => {
    const { file, mistake } = change as RefusedChange;
    log.warn(
      { file },
      `${file}: the changed file of a secret is not valid, so the former secret stays in use: ${mistake}`,
    );
  };
  refusedChanges.subscribe(write);
  return { [Symbol.dispose]: () => void refusedChanges.unsubscribe(write) };
};
