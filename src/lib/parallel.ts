// Helpers for work that runs in parallel.

import { once } from 'node:events';

/** Resolves when all promises have settled or the signal aborts. */
export const allSettledOrAborted = async (
  running: readonly Promise<unknown>[],
  signal: AbortSignal,
): Promise<void> => {
  const done = new AbortController();
  const aborted = once(signal, 'abort', { signal: done.signal }).catch(() => {});
  await Promise.race([Promise.allSettled(running), aborted]);
  done.abort();
};

/** Calls `work` for every item, at most `limit` at once. It throws the first rejection when all started calls have ended. */
export const forEachLimited = async <T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> => {
  const queue = items[Symbol.iterator]();
  let failed = false;
  const worker = async (): Promise<void> => {
    for (let next = queue.next(); !next.done && !failed; next = queue.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const results = await Promise.allSettled(Array.from({ length: limit }, worker));
  const rejected = results.find((result) => result.status === 'rejected');
  if (rejected) throw rejected.reason;
};
