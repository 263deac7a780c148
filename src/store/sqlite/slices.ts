// Splits long work into slices, so that the event loop is never blocked for long.

import type { Database } from './file/database.ts';

/** Returns how many rows it deleted. It runs in a transaction, again and again until it deletes nothing. */
export type Slice = () => number;

/** Rows that a slice deletes, up to an hour of them more: some 2 ms of CPU. */
export const SLICE_ROWS = 250;

/** Writes items in slices, each a transaction. After a kill, the caller has to find the rest later. */
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

/** Calls `step` per slice, with free turns, until it returns undefined or the signal aborts. Returns whether it ended. */
export const walkSlices = async <T>(
  first: T,
  step: (from: T) => T | undefined,
  signal?: AbortSignal,
): Promise<boolean> => {
  for (let from: T | undefined = first; from !== undefined; ) {
    if (signal?.aborted) return false;
    from = step(from);
    await new Promise(setImmediate);
  }
  return true;
};

/** Repeats a slice until it deletes nothing more. */
export const deleteInSlices = async (db: Database, slice: Slice): Promise<void> => {
  while (db.write(slice) > 0) await new Promise(setImmediate);
};

/** How many rows one transaction reads and compares. That takes some milliseconds. */
const COMPARED_ROWS = 500;

/** Reads up to `limit` rows that come after a row in the order of the list. */
type ReadRows<T> = (limit: number, after: T | undefined) => T[];
type FieldsOf<T> = (row: T) => readonly (string | null)[];

/** Returns up to `limit` rows that contain the text, in upper or lower case. Without a text, all rows match. */
export const rowsWithText = async <T>(
  text: string | undefined,
  limit: number,
  read: ReadRows<T>,
  fieldsOf: FieldsOf<T>,
): Promise<T[]> => {
  if (!text) return read(limit, undefined);
  const found: T[] = [];
  for await (const rows of slicesWithText(text, read, fieldsOf)) {
    found.push(...rows);
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
};

export const countWithText = async <T>(
  text: string,
  read: ReadRows<T>,
  fieldsOf: FieldsOf<T>,
): Promise<number> => {
  let count = 0;
  for await (const rows of slicesWithText(text, read, fieldsOf)) count += rows.length;
  return count;
};

/** Yields the matching rows of each slice. */
async function* slicesWithText<T>(
  text: string,
  read: ReadRows<T>,
  fieldsOf: FieldsOf<T>,
): AsyncGenerator<T[]> {
  const part = text.toLowerCase();
  let rows: T[] = [];
  do {
    rows = read(COMPARED_ROWS, rows.at(-1));
    yield rows.filter((row) => fieldsOf(row).some((field) => field?.toLowerCase().includes(part)));
    await new Promise(setImmediate);
  } while (rows.length === COMPARED_ROWS);
}
