// Fills the section about purchased services, prices of orders and stock.

import type { Product, Quote, Service } from '../answers.ts';
import { emptyNote } from '../components.ts';
import type { Markup } from '../html.ts';
import { PagedList } from '../paged-list.ts';
import { elementById } from '../show.ts';
import { withFreshness } from '../views/freshness.ts';
import { productTable, quoteTable, serviceTable } from '../views/market.ts';

const PAGE_SIZE = 10;

/** `onChange` is called when a page is turned. Returns a function that refreshes the section. */
export const setUpMarket = (account: string, onChange: () => void): (() => Promise<void>) => {
  const list = <T>(id: string, noItems: string, draw: (items: readonly T[]) => Markup) =>
    new PagedList<T>({
      element: elementById(id),
      itemName: id,
      pageSize: PAGE_SIZE,
      path: () => `api/v1/${id}?account=${encodeURIComponent(account)}&limit=${PAGE_SIZE}`,
      draw: (page) => {
        const items = page?.data ?? [];
        return withFreshness(
          { freshness: page?.freshness?.[0], now: Date.now(), isEmpty: items.length === 0 },
          () => (items.length > 0 ? draw(items) : emptyNote(noItems)),
        );
      },
      onPageChange: onChange,
    });
  const lists = [
    list<Service>('services', 'proxywatch knows no services of this account.', (items) =>
      serviceTable(items, Date.now()),
    ),
    list<Quote>('quotes', 'The configuration has no orders.', quoteTable),
    list<Product>('products', 'The catalog has no products.', productTable),
  ];
  return async () => {
    await Promise.all(lists.map((each) => each.refresh()));
  };
};
