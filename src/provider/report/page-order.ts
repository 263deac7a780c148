// Checks that the pages of a listing are in order, and that their counts agree.

import { listIn, numberIn, type ObservedAnswer, objectOf } from './observed-answer.ts';

const noCounts = () => ({
  pages: 0,
  /** Pages whose items are in none of the usual orders of the id that the request sorts by. */
  unordered_pages: 0,
  /** Pages that begin before the end of the page before, although the listing has not changed. */
  overlapping_pages: 0,
  /** Pages with fewer items than requested, although `total_count` says that there are more. */
  short_pages: 0,
  /** Pages with more items than requested. */
  long_pages: 0,
  /** Answers whose `page` or `per_page` is not the requested one. */
  other_numbers: 0,
  /** Answers whose `total_count` is -1. */
  uncounted_pages: 0,
  /** Pages whose `total_count` differs from that of the page before. */
  changed_totals: 0,
  /** Last pages with another number of items than `total_count` requires. */
  wrong_last_pages: 0,
});

export type PagesJson = Readonly<ReturnType<typeof noCounts>>;

export class PageOrder {
  readonly #counts = noCounts();
  #before: ListingPage | undefined;

  observe(answer: Pick<ObservedAnswer, 'query' | 'json'>): void {
    const page = pageOf(answer);
    if (!page) return;
    this.#counts.pages += 1;
    for (const fault of faultsOf(page)) this.#counts[fault] += 1;
    const before = this.#before;
    if (before?.listing === page.listing && before.number === page.number - 1) this.#compare(before, page);
    this.#before = page;
  }

  /** Returns null if no pages were read. */
  toJson(): PagesJson | null {
    return this.#counts.pages === 0 ? null : { ...this.#counts };
  }

  #compare(before: ListingPage, page: ListingPage): void {
    if (page.total !== before.total) this.#counts.changed_totals += 1;
    // Items that were added or removed between the requests move all later ones, so the order says nothing
    // then.
    else if (goesBack(before.ids, page.ids)) this.#counts.overlapping_pages += 1;
  }
}

/** A page of a listing as requested and answered. */
type ListingPage = NonNullable<ReturnType<typeof pageOf>>;

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
const pageOf = ({ query, json }: Pick<ObservedAnswer, 'query' | 'json'>) => {
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
    ids,
    /** Whether `page` or `per_page` is not the requested one. */
    hasOtherNumbers: hasOther('page', number) || hasOther('per_page', size),
    /** Identifies the listing among those of its endpoint. */
    listing: JSON.stringify([size, sortBy, filter]),
  };
};

const faultsOf = (page: ListingPage): Fault[] => {
  const { number, size, items, total } = page;
  const isCounted = total !== undefined && total >= 0;
  const isLast = isCounted && number * size >= total;
  const left = isCounted ? Math.max(0, total - (number - 1) * size) : 0;
  const found: readonly (readonly [Fault, boolean])[] = [
    ['unordered_pages', !ORDERS.some((order) => isInOrder(page.ids, order))],
    ['short_pages', isCounted && !isLast && items < size],
    ['long_pages', items > size],
    ['other_numbers', page.hasOtherNumbers],
    ['uncounted_pages', total === -1],
    ['wrong_last_pages', isLast && items !== left],
  ];
  return found.flatMap(([fault, isTrue]) => (isTrue ? [fault] : []));
};

type Id = string | number;
/** Returns a negative number if `one` comes before `other`, and 0 if they are equal in this order. */
type Order = (one: Id, other: Id) => number;

const compare: Order = (one, other) => {
  if (one < other) return -1;
  return one > other ? 1 : 0;
};

/** Numbers have only one order. */
const ofTexts =
  (order: (one: string, other: string) => number): Order =>
  (one, other) =>
    typeof one === 'string' && typeof other === 'string' ? order(one, other) : compare(one, other);

const changed = (change: (text: string) => string): Order =>
  ofTexts((one, other) => compare(change(one), change(other)));

/** A collator takes 2 MB of memory, so it is created for the first comparison. */
const collated = (options: Intl.CollatorOptions): Order => {
  let collator: Intl.Collator | undefined;
  return ofTexts((one, other) => {
    collator ??= new Intl.Collator('en', options);
    return collator.compare(one, other);
  });
};

/** Databases differ in how they sort case, punctuation and numbers in texts. Which one the provider uses is not documented. */
const ORDERS: readonly Order[] = [
  compare,
  changed((text) => text.toLowerCase()),
  changed((text) => text.toUpperCase()),
  changed((text) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')),
  collated({}),
  collated({ numeric: true }),
];

/** Equal ids fit every order. */
const isInOrder = (ids: readonly Id[], order: Order): boolean =>
  ids.every((id, index) => index === 0 || order(ids[index - 1] ?? id, id) <= 0);

/** Whether the ids go back between two lists, in all orders that both lists are in. Most lists are in the first order. */
const goesBack = (before: readonly Id[], after: readonly Id[]): boolean => {
  const [last, first] = [before.at(-1), after[0]];
  if (last === undefined || first === undefined) return false;
  const isCommon = (order: Order) => isInOrder(before, order) && isInOrder(after, order);
  const isContinued = (order: Order) => order(last, first) <= 0 && isCommon(order);
  return !ORDERS.some(isContinued) && ORDERS.some(isCommon);
};

/** No id is longer. A longer text is not kept until the next page. */
const MAX_ID_LENGTH = 200;

const isId = (value: unknown): value is Id =>
  typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_ID_LENGTH);
