// Bounded pieces of long work, so that the event loop is never held for long.

import type { Database } from './file/database.ts';

/** Done inside a transaction, again and again until it deletes nothing; how many rows it deleted. */
export type Slice = () => number;

/** Rows that a slice deletes, give or take an hour of them: some 2 ms of CPU. */
export const SLICE_ROWS = 250;

/**
 * Writes items a slice at a time, each in a transaction of its own. For what may be left half done: where a process is
 * killed in between, the next one has to find the rest by itself.
 */
export const writeInSlices = async <T>(
  db: Database,
  items: readonly T[],
  write: (slice: readonly T[]) => void,
): Promise<void> => {
  for (let from = 0; from < items.length; from += SLICE_ROWS) {
    db.write(() => write(items.slice(from, from + SLICE_ROWS)));
    await new Promise(setImmediate);
  }
};

/** Does a slice until it deletes nothing any more. */
export const deleteInSlices = async (db: Database, slice: Slice): Promise<void> => {
  while (db.write(slice) > 0) await new Promise(setImmediate);
};
