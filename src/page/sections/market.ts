// Fills the section about purchased services, prices of orders and stock.

import type { Product, Quote, Service } from '../answers.ts';
import type { Markup } from '../html.ts';
import { productTable, quoteTable } from '../views/market.ts';
import { serviceTable } from '../views/services.ts';
import { setUpList } from './simple-list.ts';

/** `onChange` is called when a page is turned. Returns a function that refreshes the section. */
export const setUpMarket = (account: string, onChange: () => void): (() => Promise<void>) => {
  const list = <T>(id: string, noItems: string, draw: (items: readonly T[]) => Markup) =>
    setUpList<T>({
      ...{ id, itemName: id, noItems, draw, onChange, isBrief: false },
      path: () => `api/v1/${id}?account=${encodeURIComponent(account)}`,
    });
  const refreshers = [
    list<Service>('services', 'proxywatch knows no services of this account.', (items) =>
      serviceTable(items, Date.now()),
    ),
    list<Quote>('quotes', 'The configuration has no orders.', quoteTable),
    list<Product>('products', 'The catalog has no products.', productTable),
  ];
  return async () => {
    await Promise.all(refreshers.map((refresh) => refresh()));
  };
};
