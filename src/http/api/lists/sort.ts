// Orders lists by a column in either direction, and makes the cursors of these orders.

import { decodeCursor, encodeCursor } from '../page.ts';
import type { ListIndex } from './list-index.ts';
import { NO_WORD } from './list-index.ts';
import { compareTexts, countBelow } from './sort-in-slices.ts';

/** Null is unknown, and comes last in both directions. */
export type SortValue = number | string | null;

/** Sorts by a column of words, or by a number of each row. NaN is unknown. */
export type SortKey<T = unknown> =
  | { readonly words: string }
  | { readonly number: (index: ListIndex<T>) => NumberOfRow | Promise<NumberOfRow> };

export type NumberOfRow = (row: number) => number;

export interface Order<T = unknown> {
  /** Undefined orders by account and id. */
  readonly sortKey: SortKey<T> | undefined;
  readonly isDescending: boolean;
  /** Names the order. A cursor of another order is refused. */
  readonly token: string;
}

/** An order of any list. */
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
  if ('number' in sortKey) {
    const numberOf = await sortKey.number(index);
    return {
      keyOf: (row) => toKey(numberOf(row)),
      valueOf: (row) => {
        const number = numberOf(row);
        return Number.isNaN(number) ? null : number;
      },
      keyFor: (value) => toKey(typeof value === 'number' ? value : Number.NaN),
    };
  }
  const { words, codes } = index.words(sortKey.words);
  const codeOf = (row: number): number => codes[row] ?? NO_WORD;
  return {
    keyOf: (row) => toKey(codeOf(row) === NO_WORD ? Number.NaN : codeOf(row)),
    valueOf: (row) => words[codeOf(row)] ?? null,
    keyFor: (value) => {
      if (typeof value !== 'string') return toKey(Number.NaN);
      const rank = countBelow(words, value);
      // A word that the column does not have lies between two codes.
      return toKey(words[rank] === value ? rank : rank - 0.5);
    },
  };
};

/** Sorts by a column of words. */
export const byWords = (words: string) => (): SortKey => ({ words });

/** Sorts by a column of numbers. */
export const byNumbers = (name: string) => (): SortKey => ({
  number: (index) => {
    const numbers = index.numbers(name);
    return (row) => numbers[row] ?? Number.NaN;
  },
});

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
