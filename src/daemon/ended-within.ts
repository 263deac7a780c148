// Waits for shared work, but no longer than a limit.

import type { Clock } from '../lib/clock.ts';

/** Whether the work ended, or failed, within the limit (ms). The work goes on after the limit. */
export const isEndedWithin = async (
  work: Promise<unknown>,
  limitMs: number,
  clock: Clock,
): Promise<boolean> => {
  const ended = new AbortController();
  const settled = work.then(
    () => true,
    () => true,
  );
  const late = clock.sleep(limitMs, ended.signal).then(
    () => false,
    () => true,
  );
  const isEnded = await Promise.race([settled, late]);
  ended.abort();
  return isEnded;
};
