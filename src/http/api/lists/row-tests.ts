// Makes the tests of rows: parts of texts, and columns with one of several words.

import { setImmediate } from 'node:timers/promises';
import { type ListIndex, NO_WORD, ROWS_PER_SLICE, type WordColumn } from './list-index.ts';
import type { RowTest } from './scan.ts';
import { countBelow } from './sort-in-slices.ts';

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
    const code = countBelow(known, word);
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
