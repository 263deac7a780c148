// Finds the rows of an index that match, and the first of them in an order, without sorting all rows.

import { setImmediate } from 'node:timers/promises';
import { type ListIndex, ROWS_PER_SLICE } from './list-index.ts';

export type RowTest = (row: number) => boolean;

/** A row is ordered by its key, then by its tie. */
export interface Entry {
  readonly key: number;
  readonly tie: number;
  readonly row: number;
}

export interface Scan {
  /** All of these must hold. */
  readonly tests: readonly RowTest[];
  /** Returns the key of a row; infinite if the row comes last. */
  readonly keyOf: (row: number) => number;
  /** 1 if rows with the same key are in the order of their ids, or -1 for the opposite order. */
  readonly tieOrder: 1 | -1;
  /** Only rows after this one are returned. Null starts at the first row. */
  readonly after: Pick<Entry, 'key' | 'tie'> | null;
  readonly limit: number;
}

export interface Found {
  readonly entries: readonly Entry[];
  /** How many rows match, also those before and after the entries. */
  readonly total: number;
}

export const scan = async ({ ids }: ListIndex, request: Scan): Promise<Found> => {
  const first = new FirstEntries(request.limit);
  const isMatch = allOf(request.tests);
  let total = 0;
  for (let from = 0; from < ids.length; from += ROWS_PER_SLICE) {
    if (from > 0) await setImmediate();
    total += scanSlice(from, Math.min(ids.length, from + ROWS_PER_SLICE), isMatch, request, first);
  }
  return { entries: first.take(), total };
};

/** Adds the matching rows of a slice, and returns their number. */
const scanSlice = (
  from: number,
  to: number,
  isMatch: RowTest,
  { keyOf, tieOrder, after }: Scan,
  first: FirstEntries,
): number => {
  let matching = 0;
  for (let row = from; row < to; row += 1) {
    if (!isMatch(row)) continue;
    matching += 1;
    const [key, tie] = [keyOf(row), tieOrder * row];
    if (after === null || isBefore(after.key, after.tie, key, tie)) first.add(key, tie, row);
  }
  return matching;
};

const allOf = (tests: readonly RowTest[]): RowTest => {
  const [first = () => true, second] = tests;
  if (!second) return first;
  return tests.length === 2 ? (row) => first(row) && second(row) : (row) => tests.every((test) => test(row));
};

const isBefore = (key: number, tie: number, otherKey: number, otherTie: number): boolean =>
  key === otherKey ? tie < otherTie : key < otherKey;

/** Keeps the first `size` of many entries. */
class FirstEntries {
  readonly #size: number;
  #entries: Entry[] = [];
  /** An entry after this one is not among the first. */
  #last: Entry | undefined;

  constructor(size: number) {
    this.#size = size;
  }

  add(key: number, tie: number, row: number): void {
    if (this.#last && isBefore(this.#last.key, this.#last.tie, key, tie)) return;
    this.#entries.push({ key, tie, row });
    if (this.#entries.length > 2 * this.#size + 1_000) this.take();
  }

  take(): readonly Entry[] {
    this.#entries = this.#entries
      .sort((one, other) => (isBefore(one.key, one.tie, other.key, other.tie) ? -1 : 1))
      .slice(0, this.#size);
    if (this.#entries.length === this.#size) this.#last = this.#entries.at(-1);
    return this.#entries;
  }
}
