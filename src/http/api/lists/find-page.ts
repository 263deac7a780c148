// Finds a page of a list in the indexes of several accounts, and reads its items.

import { setImmediate } from 'node:timers/promises';
import type { ListIndex } from './list-index.ts';
import { type RowTest, scan } from './scan.ts';
import { comparePositions, type Order, orderedKeys, type SortPosition, tieOrderOf } from './sort.ts';
import { countBelow } from './sort-in-slices.ts';

/** Where an item is in the index of its account. */
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
  return tieOrder === 1 ? countBelow(ids, after.id, true) - 1 : -countBelow(ids, after.id);
};
