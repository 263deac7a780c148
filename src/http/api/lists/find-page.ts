// Finds a page of a list in the indexes of several accounts, in the order of a column, and makes the cursors of these pages.

import { setImmediate } from 'node:timers/promises';
import { insertionIndex } from '../../../lib/sorted.ts';
import { decodeCursor, encodeCursor } from '../parameters.ts';
import { compareTexts, type ListIndex, NO_WORD, type NumberOfRow } from './list-index.ts';
import { type RowTest, scan } from './scan.ts';

export interface Found<T> {
  readonly account: string;
  readonly id: string;
  /** Set if the index keeps its items. */
  readonly item: T | undefined;
}

export interface PageSearch<T, J> {
  readonly accounts: readonly string[];
  readonly order: Order<T>;
  /** The last item of the previous page; null for the first page. */
  readonly after: SortPosition | null;
  readonly limit: number;
  indexOf(account: string): Promise<ListIndex<T> | undefined>;
  testsOf(index: ListIndex<T>): Promise<readonly RowTest[]>;
  read(found: Found<T>): Promise<J | undefined>;
}

export interface FoundPage<J> {
  readonly items: J[];
  /** The last item of the page; null on the last page. */
  readonly last: SortPosition | null;
  readonly total: number;
}

interface Candidate<T> extends SortPosition {
  readonly item: T | undefined;
}

export const findPage = async <T, J>(search: PageSearch<T, J>): Promise<FoundPage<J>> => {
  const { accounts, order, limit } = search;
  const candidates: Candidate<T>[] = [];
  let total = 0;
  for (const account of accounts) {
    const found = await findAfter(account, search);
    candidates.push(...found.candidates);
    total += found.total;
  }
  candidates.sort((one, other) => comparePositions(one, other, order));
  const items: J[] = [];
  for (const { account, id, item } of candidates.slice(0, limit)) {
    const read = await search.read({ account, id, item });
    if (read !== undefined) items.push(read);
    // The store reads synchronously, so other work runs between two items.
    await setImmediate();
  }
  return { items, last: (candidates.length > limit && candidates[limit - 1]) || null, total };
};

/** Finds the first items of an account after the position, and one more than the page has. */
const findAfter = async <T, J>(
  account: string,
  { order, after, limit, indexOf, testsOf }: PageSearch<T, J>,
): Promise<{ readonly candidates: readonly Candidate<T>[]; readonly total: number }> => {
  const index = await indexOf(account);
  if (!index) return { candidates: [], total: 0 };
  const [tests, keys, tieOrder] = [await testsOf(index), await orderedKeys(index, order), tieOrderOf(order)];
  const { entries, total } = await scan(index, {
    ...{ tests, tieOrder, keyOf: keys.keyOf, limit: limit + 1 },
    after: after && { key: keys.keyFor(after.value), tie: tieAfter(index.ids, account, after, tieOrder) },
  });
  const candidates = entries.map(({ row }) => ({
    ...{ account, id: index.ids[row] ?? '', value: keys.valueOf(row), item: index.items[row] },
  }));
  return { candidates, total };
};

/** Returns the tie of the last row that is not after the position, among rows with the same key. */
const tieAfter = (ids: readonly string[], account: string, after: SortPosition, tieOrder: 1 | -1): number => {
  if (account !== after.account)
    return account < after.account === (tieOrder === 1) ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  return tieOrder === 1 ? insertionIndex(after.id, ids, true) - 1 : -insertionIndex(after.id, ids);
};

/** Null is unknown, and comes last in both directions. */
export type SortValue = number | string | null;

/** Sorts by the column of this name, or by a number of each row. */
export type SortKey<T = unknown> = string | ((index: ListIndex<T>) => NumberOfRow | Promise<NumberOfRow>);

export interface Order<T = unknown> {
  /** Undefined orders by account and id. */
  readonly sortKey: SortKey<T> | undefined;
  readonly isDescending: boolean;
  /** Names the order. A cursor of another order is refused. */
  readonly token: string;
}

type AnyOrder = Pick<Order<never>, 'sortKey' | 'isDescending' | 'token'>;

/** The last item of a page. */
export interface SortPosition {
  readonly value: SortValue;
  readonly account: string;
  readonly id: string;
}

/** The keys of an index in an order. Lower keys come first. */
export interface OrderedKeys {
  keyOf(row: number): number;
  valueOf(row: number): SortValue;
  /** Returns the key that a row with this value has, or would have. */
  keyFor(value: SortValue): number;
}

export const orderedKeys = async <T>(
  index: ListIndex<T>,
  { sortKey, isDescending }: Order<T>,
): Promise<OrderedKeys> => {
  if (sortKey === undefined) return { keyOf: () => 0, valueOf: () => null, keyFor: () => 0 };
  const sign = isDescending ? -1 : 1;
  const toKey = (number: number): number => (Number.isNaN(number) ? Number.POSITIVE_INFINITY : sign * number);
  if (typeof sortKey === 'function' || !index.hasWords(sortKey)) {
    const numberOf = typeof sortKey === 'function' ? await sortKey(index) : index.numbers(sortKey);
    return {
      keyOf: (row) => toKey(numberOf(row)),
      valueOf: (row) => {
        const number = numberOf(row);
        return Number.isNaN(number) ? null : number;
      },
      keyFor: (value) => toKey(typeof value === 'number' ? value : Number.NaN),
    };
  }
  const { words, codes } = index.words(sortKey);
  const codeOf = (row: number): number => codes[row] ?? NO_WORD;
  return {
    keyOf: (row) => toKey(codeOf(row) === NO_WORD ? Number.NaN : codeOf(row)),
    valueOf: (row) => words[codeOf(row)] ?? null,
    keyFor: (value) => {
      if (typeof value !== 'string') return toKey(Number.NaN);
      const rank = insertionIndex(value, words);
      // A word that the column does not have lies between two codes.
      return toKey(words[rank] === value ? rank : rank - 0.5);
    },
  };
};

/** Compares items of different accounts, whose indexes have different codes. */
export const comparePositions = (one: SortPosition, other: SortPosition, order: AnyOrder): number =>
  compareValues(one.value, other.value, order.isDescending ? -1 : 1) ||
  tieOrderOf(order) * (compareTexts(one.account, other.account) || compareTexts(one.id, other.id));

const compareValues = (one: SortValue, other: SortValue, sign: 1 | -1): number => {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  if (typeof one === 'string' || typeof other === 'string')
    return sign * compareTexts(String(one), String(other));
  return sign * (one - other);
};

/** Only the order by id has its items backwards if it descends. Otherwise ties are in the order of the ids. */
export const tieOrderOf = ({ sortKey, isDescending }: AnyOrder): 1 | -1 =>
  sortKey === undefined && isDescending ? -1 : 1;

export const encodePosition = ({ account, id, value }: SortPosition, { token }: AnyOrder): string =>
  encodeCursor({ account, id: JSON.stringify([token, value, id]) });

/** Returns null for a cursor of another order. */
export const decodePosition = (cursor: string, { token }: AnyOrder): SortPosition | null => {
  const position = decodeCursor(cursor);
  const [found, value, id, ...rest] = partsOf(position?.id ?? '');
  if (!position || found !== token || !isSortValue(value) || typeof id !== 'string' || rest.length > 0)
    return null;
  return { value, account: position.account, id };
};

const partsOf = (json: string): readonly unknown[] => {
  try {
    const parts: unknown = JSON.parse(json);
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
};

const isSortValue = (value: unknown): value is SortValue =>
  value === null || typeof value === 'string' || typeof value === 'number';
