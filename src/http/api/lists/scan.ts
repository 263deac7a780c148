// Finds the rows of an index that match, by texts and words, and the first of them in an order, without sorting all rows.

import { setImmediate } from 'node:timers/promises';
import { insertionIndex } from '../../../lib/sorted.ts';
import { type ListIndex, NO_WORD, ROWS_PER_SLICE, type WordColumn } from './list-index.ts';

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

/** Holds for rows that have one of these words in one of the columns. Without words, it holds for all rows. */
export const hasWord = (
  index: ListIndex,
  columns: readonly string[],
  words: readonly string[],
): RowTest[] => {
  if (words.length === 0) return [];
  return [anyColumn(columns.map((name) => codeTest(index, name, codesOf(index.words(name), words))))];
};

/** Holds for rows whose word in one of the columns, or whose id, contains the text, in upper or lower case. */
export const containsText = async (
  index: ListIndex,
  columns: readonly string[],
  text: string | undefined,
  searchesId = true,
): Promise<RowTest[]> => {
  if (text === undefined || text === '') return [];
  const part = text.toLowerCase();
  const tests: RowTest[] = searchesId ? [(row) => (index.ids[row] ?? '').toLowerCase().includes(part)] : [];
  for (const name of columns) {
    const { words } = index.words(name);
    const marked = new Uint8Array(words.length);
    for (const [code, word] of words.entries()) {
      if (word.toLowerCase().includes(part)) marked[code] = 1;
      if (code % ROWS_PER_SLICE === ROWS_PER_SLICE - 1) await setImmediate();
    }
    if (marked.includes(1)) tests.push(codeTest(index, name, marked));
  }
  return [anyColumn(tests)];
};

const anyColumn = (tests: readonly RowTest[]): RowTest => {
  const [only] = tests;
  return tests.length === 1 && only ? only : (row) => tests.some((test) => test(row));
};

/** Returns 1 for each code of one of these words. */
const codesOf = ({ words: known }: WordColumn, words: readonly string[]): Uint8Array => {
  const marked = new Uint8Array(known.length);
  for (const word of words) {
    const code = insertionIndex(word, known);
    if (known[code] === word) marked[code] = 1;
  }
  return marked;
};

const codeTest = (index: ListIndex, name: string, marked: Uint8Array): RowTest => {
  const { codes } = index.words(name);
  return (row) => {
    const code = codes[row] ?? NO_WORD;
    // V8 reads beyond the end of an array ten times as slowly.
    return code < marked.length && marked[code] === 1;
  };
};
