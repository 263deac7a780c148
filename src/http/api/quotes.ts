// Serves GET /api/v1/quotes: the prices of the configured orders, from the provider's newest answers.

import { z } from 'zod';
import type { QuotedItem, StoredQuote } from '../../store/catalog-store.ts';
import type { AccountView } from '../daemon-view.ts';
import { accountItemOf, currency, itemOf, orNull, text } from './item.ts';
import { shortListRoute } from './list-route.ts';
import { someOf } from './parameters.ts';
import { revisionOfParts } from './route.ts';

const { schema: lineItem, json: lineItemJson } = itemOf<QuotedItem>()('QuoteLineItem', (from) => ({
  name: orNull.text,
  product_type: from(orNull.text, 'type'),
  price_type: orNull.text,
  price_id: orNull.text,
  unit_price: orNull.amount,
  quantity: orNull.count,
  total: orNull.amount,
  country_id: orNull.text,
  locations: z.array(z.strictObject({ country_id: orNull.text, quantity: orNull.count })),
}));

const STATES = ['valid', 'invalid', 'short_stock', 'rejected'] as const;

/** An order without an answer has only a name. */
type Order = Pick<StoredQuote, 'name'> & Partial<StoredQuote> & { readonly currency: string };

export const { schema: quote, json: quoteJson } = accountItemOf<Order & Partial<StoredQuote['details']>>()(
  'Quote',
  (from) => ({
    quote: from(text.describe('Configured name of the order'), 'name'),
    state: z
      .enum(STATES)
      .nullable()
      .describe('Null until the provider has answered. Until then, all fields below are also null'),
    reason: orNull.text.describe('The provider’s reason for an order that is not possible'),
    price: orNull.amount.describe('Price in cents of `currency`, as all amounts of money'),
    currency,
    list_price: orNull.amount,
    discount: orNull.amount,
    credit_balance: orNull.amount.describe('Credit of the account'),
    price_after_credit: from(
      orNull.amount.describe(
        'This field and the fields below have the values of the answer, even if the order is `invalid`',
      ),
      'totalAfterCredit',
    ),
    is_discounted: orNull.flag,
    promotional_code: orNull.text,
    promotional_code_id: orNull.text,
    credit_only_checkout: from(orNull.flag, 'isCreditOnly'),
    is_credit_applied: orNull.flag,
    applied_credit: orNull.amount,
    is_top_up: orNull.flag,
    top_up_amount: orNull.amount,
    line_items: from(z.array(lineItem).nullable(), ({ state, lineItems = [] }) =>
      state === undefined ? null : lineItems.map(lineItemJson),
    ),
    answered_at: orNull.time,
  }),
);

/** Lists all configured orders, including those without an answer yet. */
const listOrders = async ({ store, settings, orders }: AccountView): Promise<Order[]> => {
  const stored = await store.quotes.quotes(settings.name);
  const answered = new Set(stored.map(({ name }) => name));
  const unanswered = orders.filter((name) => !answered.has(name)).map((name) => ({ name }));
  return [...stored, ...unanswered].map((order) => ({ ...order, currency: settings.currency }));
};

export const QUOTE_ROUTE = shortListRoute({
  path: '/api/v1/quotes',
  collector: 'quotes',
  summary: 'Configured orders and their newest answers',
  query: { state: someOf(STATES).describe('Only orders in this state. You can repeat the parameter') },
  item: quote,
  revision: revisionOfParts(['quotes']),
  items: async (found, { state: states }) =>
    (await listOrders(found)).filter(
      ({ state }) => states.length === 0 || states.some((each) => each === state),
    ),
  idOf: ({ name }) => name,
  toJson: (account, order) => quoteJson(account, { ...order.details, ...order }),
});
