// Shows prices of orders and stock in short tables.

import type { Product, Quote } from '../answers.ts';
import { badge, emptyCell, type Level, quiet, table } from '../components.ts';
import { count, money } from '../format.ts';
import { html, type Markup, type Value } from '../html.ts';

const QUOTE_STATES: Readonly<Record<NonNullable<Quote['state']>, readonly [Level, string]>> = {
  valid: ['good', 'Valid'],
  short_stock: ['fair', 'Not enough stock'],
  invalid: ['bad', 'Invalid'],
  rejected: ['bad', 'Rejected'],
};

const quoteState = (state: Quote['state']): Markup =>
  state === null ? badge('none', 'No answer yet') : badge(...QUOTE_STATES[state]);

export const quoteTable = (quotes: readonly Quote[]): Markup =>
  table<Quote>(
    'Prices of the configured orders',
    [
      { name: 'Order', cell: ({ quote }) => quote },
      { name: 'State', cell: ({ state, reason }) => html`${quoteState(state)} ${quiet(reason)}` },
      { name: 'Price', cell: ({ price, currency }) => moneyOrDash(price, currency), kind: 'number' },
      {
        name: 'List price',
        cell: ({ list_price: price, currency }) => moneyOrDash(price, currency),
        kind: 'number',
      },
      {
        name: 'Credit',
        cell: ({ credit_balance: credit, currency }) => moneyOrDash(credit, currency),
        kind: 'number',
      },
    ],
    quotes,
  );

export const productTable = (products: readonly Product[]): Markup =>
  table<Product>(
    'Products of the catalog',
    [
      { name: 'Product', cell: ({ product_code: code }) => code },
      { name: 'State', cell: productState, kind: 'state' },
      { name: 'Country', cell: ({ country_id: country }) => textOrDash(country?.toUpperCase() ?? null) },
      { name: 'Stock', cell: stockOf, kind: 'number' },
    ],
    products,
  );

const stockOf = ({ stock, is_stock_unlimited: isUnlimited }: Product): Value => {
  if (isUnlimited) return 'unlimited';
  return stock === null ? emptyCell() : count(stock);
};

const productState = ({ is_available: isAvailable, is_listed: isListed }: Product): Markup => {
  if (!isListed) return badge('bad', 'Not in the catalog');
  if (isAvailable === null) return badge('none', 'Unknown');
  return isAvailable ? badge('good', 'Available') : badge('bad', 'Not available');
};

export const textOrDash = (text: string | null): Value => text ?? emptyCell();

export const moneyOrDash = (cents: number | null, currency: string): Value =>
  cents === null ? emptyCell() : money(cents, currency);
