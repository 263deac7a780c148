// Holds what items are searched, filtered and sorted by, in columns to save memory. Items of long lists stay in the store.

import { setImmediate } from 'node:timers/promises';

/** How many rows are checked before other work runs. */
export const ROWS_PER_SLICE = 5_000;

/** How many items are read from the store before other work runs. */
const READS_PER_SLICE = 20;

/** How many items are sorted or merged before other work runs. Comparing texts, that takes a few milliseconds. */
const SORTS_PER_SLICE = 4_000;

export const NO_WORD = 0xffff_ffff;

/** Words by row. A code is the position of its word among the sorted words, so codes have the order of the words. */
export interface WordColumn {
  readonly words: readonly string[];
  readonly codes: Uint32Array;
}

/** The columns of a list, as functions of an item. Unknown values are null. */
export interface ColumnsOf<T> {
  readonly words: Readonly<Record<string, (item: T) => string | null>>;
  readonly numbers: Readonly<Record<string, (item: T) => number | null>>;
}

/** Reads several numbers of an item at once, by the name of their column. */
type LateReader<T, C extends string> = (item: T) => Promise<Readonly<Record<C, number | null>>>;

/** Returns the number of a row; NaN if it is unknown. */
export type NumberOfRow = (row: number) => number;

/** Rows have the order of the ids. */
export class ListIndex<T = unknown> {
  readonly ids: readonly string[];
  /** The items of short lists, which the store does not have as such. Other lists have none. */
  readonly items: readonly T[];
  readonly #words: ReadonlyMap<string, WordColumn>;
  readonly #numbers: ReadonlyMap<string, Float64Array>;
  /** By their reader. */
  readonly #late = new Map<unknown, Promise<Map<string, Float64Array>>>();

  constructor(
    { ids, items }: { readonly ids: readonly string[]; readonly items: readonly T[] },
    words: ReadonlyMap<string, WordColumn>,
    numbers: ReadonlyMap<string, Float64Array>,
  ) {
    this.ids = ids;
    this.items = items;
    this.#words = words;
    this.#numbers = numbers;
  }

  /** Returns a column of numbers that cost too much to be read before somebody needs one of them. */
  async lateNumbers<C extends string>(read: LateReader<T, C>, column: C): Promise<NumberOfRow> {
    const columns = this.#late.get(read) ?? this.#readAll(read);
    this.#late.set(read, columns);
    columns.catch(() => this.#late.delete(read));
    return numberIn((await columns).get(column) ?? new Float64Array(0));
  }

  async #readAll(read: LateReader<T, string>): Promise<Map<string, Float64Array>> {
    const columns = new Map<string, Float64Array>();
    for (const [row, item] of this.items.entries()) {
      for (const [name, number] of Object.entries(await read(item))) {
        const column = columns.get(name) ?? new Float64Array(this.items.length);
        column[row] = number ?? Number.NaN;
        columns.set(name, column);
      }
      if (row % READS_PER_SLICE === READS_PER_SLICE - 1) await setImmediate();
    }
    return columns;
  }

  hasWords(name: string): boolean {
    return this.#words.has(name);
  }

  words(name: string): WordColumn {
    return known(this.#words.get(name), name);
  }

  numbers(name: string): NumberOfRow {
    return numberIn(known(this.#numbers.get(name), name));
  }
}

const numberIn =
  (values: Float64Array): NumberOfRow =>
  (row) =>
    values[row] ?? Number.NaN;

const known = <T>(column: T | undefined, name: string): T => {
  if (column === undefined) throw new Error(`The index has no column ${name}`);
  return column;
};

/** Reads all items page by page, and keeps only their columns, unless the items are to be kept. */
export const buildIndex = async <T extends { readonly id: string }>(
  pages: AsyncIterable<readonly T[]>,
  columns: ColumnsOf<T>,
  keepsItems: boolean,
): Promise<ListIndex<T>> => {
  const ids: string[] = [];
  const items: T[] = [];
  const words = Object.entries(columns.words).map(([name, of]) => ({ name, of, column: new WordBuilder() }));
  const numbers = Object.entries(columns.numbers).map(([name, of]) => ({ name, of, values: [] as number[] }));
  for await (const page of pages)
    for (const item of page) {
      ids.push(item.id);
      if (keepsItems) items.push(item);
      for (const { of, column } of words) column.add(of(item));
      for (const { of, values } of numbers) values.push(of(item) ?? Number.NaN);
    }
  const order = await orderOf(ids);
  const wordColumns = new Map<string, WordColumn>();
  for (const { name, column } of words) {
    wordColumns.set(name, await column.build(order));
    await setImmediate();
  }
  const numberColumns = new Map<string, Float64Array>();
  for (const { name, values } of numbers) {
    numberColumns.set(name, Float64Array.from(inOrder(values, order)));
    await setImmediate();
  }
  return new ListIndex<T>(
    { ids: inOrder(ids, order), items: inOrder(items, order) },
    wordColumns,
    numberColumns,
  );
};

/** Returns the rows in the order of their ids; undefined if they have this order already, as most lists do. */
const orderOf = async (ids: readonly string[]): Promise<readonly number[] | undefined> => {
  for (let row = 1; row < ids.length; row += 1) {
    if (row % ROWS_PER_SLICE === 0) await setImmediate();
    if ((ids[row - 1] ?? '') <= (ids[row] ?? '')) continue;
    const rows = Array.from(ids, (_, each) => each);
    return sortInSlices(rows, (one, other) => compareTexts(ids[one] ?? '', ids[other] ?? ''));
  }
  return undefined;
};

const inOrder = <V>(values: readonly V[], order: readonly number[] | undefined): readonly V[] =>
  order && values.length > 0 ? order.map((row) => values[row] as V) : values;

class WordBuilder {
  /** Words by their first occurrence. */
  readonly #codes = new Map<string, number>();
  readonly #rows: number[] = [];

  add(word: string | null): void {
    if (word === null) {
      this.#rows.push(NO_WORD);
      return;
    }
    const code = this.#codes.get(word) ?? this.#codes.size;
    if (code === this.#codes.size) this.#codes.set(word, code);
    this.#rows.push(code);
  }

  async build(order: readonly number[] | undefined): Promise<WordColumn> {
    const words = await sortInSlices([...this.#codes.keys()], compareTexts);
    const ranks = new Uint32Array(words.length);
    for (const [rank, word] of words.entries()) ranks[this.#codes.get(word) ?? 0] = rank;
    const codes = Uint32Array.from(inOrder(this.#rows, order));
    for (const [row, code] of codes.entries()) if (code !== NO_WORD) codes[row] = ranks[code] ?? NO_WORD;
    return { words, codes };
  }
}

/** Sorts without blocking the event loop. */
export const sortInSlices = async <T>(
  items: readonly T[],
  compare: (one: T, other: T) => number,
): Promise<T[]> => {
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += SORTS_PER_SLICE) {
    runs.push(items.slice(from, from + SORTS_PER_SLICE).sort(compare));
    await setImmediate();
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let first = 0; first < runs.length; first += 2)
      merged.push(await merge(runs[first] ?? [], runs[first + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
};

const merge = async <T>(
  one: readonly T[],
  other: readonly T[],
  compare: (one: T, other: T) => number,
): Promise<T[]> => {
  const merged: T[] = [];
  for (let [i, j] = [0, 0]; i < one.length || j < other.length; ) {
    const takesFirst = j >= other.length || (i < one.length && compare(one[i] as T, other[j] as T) <= 0);
    merged.push((takesFirst ? one[i++] : other[j++]) as T);
    if (merged.length % SORTS_PER_SLICE === 0) await setImmediate();
  }
  return merged;
};

/** Orders texts by UTF-16 code units, as `<` does. */
export const compareTexts = (one: string, other: string): number =>
  one === other ? 0 : one < other ? -1 : 1;
