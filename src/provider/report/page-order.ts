// Checks that the pages of a listing are in order, and that their counts agree.

import { goesBack } from './id-order.ts';
import { faultsOf, type ListingPage, pageOf } from './listing-page.ts';
import type { ObservedAnswer } from './observed-answer.ts';

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
  /** The newest page, with its last id only. */
  #before: ListingPage | undefined;

  observe(answer: Pick<ObservedAnswer, 'query' | 'json'>): void {
    const page = pageOf(answer);
    if (!page) return;
    this.#counts.pages += 1;
    for (const fault of faultsOf(page)) this.#counts[fault] += 1;
    const before = this.#before;
    if (before?.listing === page.listing && before.number === page.number - 1) this.#compare(before, page);
    this.#before = { ...page, ids: page.ids.slice(-1) };
  }

  /** Returns null if no pages were read. */
  toJson(): PagesJson | null {
    return this.#counts.pages === 0 ? null : { ...this.#counts };
  }

  #compare(before: ListingPage, page: ListingPage): void {
    const [[last], [first]] = [before.ids, page.ids];
    if (page.total !== before.total) this.#counts.changed_totals += 1;
    // Items that were added or removed between the requests move all later ones, so the order says nothing
    // then.
    else if (last !== undefined && first !== undefined && goesBack(last, before.orders, first, page.orders))
      this.#counts.overlapping_pages += 1;
  }
}
