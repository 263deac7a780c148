// Splits long work into slices, so that the event loop is never blocked for long.

import type { Database } from './file/database.ts';

/** Returns how many rows it deleted. It runs in a transaction, again and again until it deletes nothing. */
export type Slice = () => number;

/** Rows that a slice deletes, up to an hour of them more: some 2 ms of CPU. */
export const SLICE_ROWS = 250;

/**
 * Writes items slice by slice, each slice in a transaction of its own. If the process is killed in between, the work is
 * incomplete, and the caller has to find the rest later.
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

/** Repeats a slice until it deletes nothing more. */
export const deleteInSlices = async (db: Database, slice: Slice): Promise<void> => {
  while (db.write(slice) > 0) await new Promise(setImmediate);
};
