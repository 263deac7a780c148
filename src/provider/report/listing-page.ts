// Reads a page of a listing from an answer, and finds what is wrong with the page by itself.

import { type Id, isId, ordersOf } from './id-order.ts';
import { listIn, numberIn, type ObservedAnswer, objectOf } from './observed-answer.ts';

/** A page of a listing as requested and answered. */
export interface ListingPage {
  /** Identifies the listing among those of its endpoint. */
  readonly listing: string;
  readonly number: number;
  readonly size: number;
  readonly items: number;
  readonly total: number | undefined;
  readonly ids: readonly Id[];
  readonly orders: ReturnType<typeof ordersOf>;
  /** Whether `page` or `per_page` is not the requested one. */
  readonly hasOtherNumbers: boolean;
}

/** More than twice the longest page. A wrong answer may have more items, which would take too long. */
const MAX_IDS = 250;

type Fault =
  | 'unordered_pages'
  | 'short_pages'
  | 'long_pages'
  | 'other_numbers'
  | 'uncounted_pages'
  | 'wrong_last_pages';

/** Returns undefined if the request was not for a page, or the answer is none. */
export const pageOf = ({ query, json }: Pick<ObservedAnswer, 'query' | 'json'>): ListingPage | undefined => {
  const { page: number, per_page: size, sort_by: sortBy, ...filter } = query;
  if (typeof number !== 'number' || typeof size !== 'number' || !objectOf(json)) return undefined;
  const items = listIn(json, 'data');
  const ids = items
    .slice(0, MAX_IDS)
    .map((item) => objectOf(item)?.[String(sortBy)])
    .filter(isId);
  const hasOther = (name: string, wanted: number): boolean => (numberIn(json, name) ?? wanted) !== wanted;
  return {
    ...{ number, size, items: items.length, total: numberIn(json, 'total_count') },
    ...{ ids, orders: ordersOf(ids) },
    hasOtherNumbers: hasOther('page', number) || hasOther('per_page', size),
    listing: JSON.stringify([size, sortBy, filter]),
  };
};

export const faultsOf = (page: ListingPage): Fault[] => {
  const { number, size, items, total } = page;
  const isCounted = total !== undefined && total >= 0;
  const isLast = isCounted && number * size >= total;
  const left = isCounted ? Math.max(0, total - (number - 1) * size) : 0;
  const found: readonly (readonly [Fault, boolean])[] = [
    ['unordered_pages', page.orders.length === 0],
    ['short_pages', isCounted && !isLast && items < size],
    ['long_pages', items > size],
    ['other_numbers', page.hasOtherNumbers],
    ['uncounted_pages', total === -1],
    ['wrong_last_pages', isLast && items !== left],
  ];
  return found.flatMap(([fault, isTrue]) => (isTrue ? [fault] : []));
};
