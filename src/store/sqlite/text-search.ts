// Finds rows with a text in one of their fields, in slices, so that other work runs in between.

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
