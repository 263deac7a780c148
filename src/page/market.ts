// The part on what was bought and what is for sale: services, prices of orders, stock.

import type { Product, Quote, Service } from './answers.ts';
import type { Markup } from './html.ts';
import { PagedList } from './paged-list.ts';
import { empty } from './parts.ts';
import { part } from './show.ts';
import { withFreshness } from './views/freshness.ts';
import { productTable, quoteTable, serviceTable } from './views/market.ts';

const PAGE_SIZE = 10;

export const marketPart = (account: string, changed: () => void): (() => Promise<void>) => {
  const list = <T>(id: string, nothing: string, draw: (items: readonly T[]) => Markup) =>
    new PagedList<T>({
      element: part(id),
      what: id,
      pageSize: PAGE_SIZE,
      path: () => `api/v1/${id}?account=${encodeURIComponent(account)}&limit=${PAGE_SIZE}`,
      draw: (page) => {
        const items = page?.data ?? [];
        return withFreshness(
          { known: page?.freshness?.[0], now: Date.now(), isEmpty: items.length === 0 },
          () => (items.length > 0 ? draw(items) : empty(nothing)),
        );
      },
      turned: changed,
    });
  const all = [
    list<Service>('services', 'The account has no services that are known.', (items) =>
      serviceTable(items, Date.now()),
    ),
    list<Quote>('quotes', 'No orders are configured.', quoteTable),
    list<Product>('products', 'The catalog has no products.', productTable),
  ];
  return async () => {
    await Promise.all(all.map((each) => each.refresh()));
  };
};
