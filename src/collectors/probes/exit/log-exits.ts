// Logs when the exit of a proxy begins to differ from the expected one, and when it is right again.

import type { Log } from '../../../lib/log.ts';
import type { ProbeExit } from '../../../store/probe-store.ts';

/** Compares what the store knew before a round with what it knows after it. */
export const logExitChanges = (log: Log, before: readonly ProbeExit[], after: readonly ProbeExit[]): void => {
  const wrongBefore = new Set(before.flatMap(({ proxy, isMismatch }) => (isMismatch ? proxy : [])));
  for (const { proxy, expected, seen, isMismatch } of after) {
    if (isMismatch && !wrongBefore.has(proxy))
      log.warn({ proxy, expected, seen }, 'targets see another exit than expected through this proxy');
    if (!isMismatch && wrongBefore.has(proxy))
      log.info({ proxy, expected, seen }, 'targets see the expected exit through this proxy again');
  }
};
