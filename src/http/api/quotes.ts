// Serves GET /api/v1/quotes: the prices of the configured orders, from the provider's newest answers.

import { z } from 'zod';
import type { QuotedItem, StoredQuote } from '../../store/catalog-store.ts';
import type { AccountView } from '../daemon-view.ts';
import { rfc3339 } from '../rfc3339.ts';
import { account, amount, count, currency, flag, text, time } from './fields.ts';
import { listRoute, whenEnabled } from './list-route.ts';
import { fromItems } from './page.ts';
import { someOf } from './parameters.ts';
import { revisionOfParts } from './route.ts';

const lineItem = z
  .strictObject({
    name: text.nullable(),
    product_type: text.nullable(),
    price_type: text.nullable(),
    price_id: text.nullable(),
    unit_price: amount.nullable(),
    quantity: count.nullable(),
    total: amount.nullable(),
    country_id: text.nullable(),
    locations: z.array(z.strictObject({ country_id: text.nullable(), quantity: count.nullable() })),
  })
  .meta({ id: 'QuoteLineItem' });

const STATES = ['valid', 'invalid', 'short_stock', 'rejected'] as const;

export const quote = z
  .strictObject({
    account,
    quote: text.describe('Configured name of the order'),
    state: z
      .enum(STATES)
      .nullable()
      .describe('Null until the provider has answered. Until then, all fields below are also null'),
    reason: text.nullable().describe('The provider’s reason for an order that is not possible'),
    price: amount.nullable().describe('Price in cents of `currency`, as all amounts of money'),
    currency,
    list_price: amount.nullable(),
    discount: amount.nullable(),
    credit_balance: amount.nullable().describe('Credit of the account'),
    price_after_credit: amount
      .nullable()
      .describe(
        'This field and the fields below have the values of the answer, even if the order is `invalid`',
      ),
    is_discounted: flag.nullable(),
    promotional_code: text.nullable(),
    promotional_code_id: text.nullable(),
    credit_only_checkout: flag.nullable(),
    is_credit_applied: flag.nullable(),
    applied_credit: amount.nullable(),
    is_top_up: flag.nullable(),
    top_up_amount: amount.nullable(),
    line_items: z.array(lineItem).nullable(),
    answered_at: time.nullable(),
  })
  .meta({ id: 'Quote' });

const lineItemJson = (item: QuotedItem) => ({
  name: item.name,
  product_type: item.type,
  price_type: item.priceType,
  price_id: item.priceId,
  unit_price: item.unitPrice,
  quantity: item.quantity,
  total: item.total,
  country_id: item.countryId,
  locations: item.locations.map(({ countryId, quantity }) => ({ country_id: countryId, quantity })),
});

/** An order without an answer has only a name. */
type Order = Pick<StoredQuote, 'name'> & Partial<StoredQuote> & { readonly currency: string };

const quoteJson = (account: string, { details, ...quote }: Order) => ({
  account,
  quote: quote.name,
  state: quote.state ?? null,
  reason: quote.reason ?? null,
  price: quote.price ?? null,
  currency: quote.currency,
  list_price: quote.listPrice ?? null,
  discount: quote.discount ?? null,
  credit_balance: quote.creditBalance ?? null,
  price_after_credit: details?.totalAfterCredit ?? null,
  is_discounted: details?.isDiscounted ?? null,
  promotional_code: details?.promotionalCode ?? null,
  promotional_code_id: details?.promotionalCodeId ?? null,
  credit_only_checkout: details?.isCreditOnly ?? null,
  is_credit_applied: details?.isCreditApplied ?? null,
  applied_credit: details?.appliedCredit ?? null,
  is_top_up: details?.isTopUp ?? null,
  top_up_amount: details?.topUpAmount ?? null,
  line_items: quote.state === undefined ? null : (details?.lineItems.map(lineItemJson) ?? []),
  answered_at: rfc3339(quote.answeredAt ?? null),
});

/** Lists all configured orders, including those without an answer yet. */
const listOrders = async ({ store, settings, orders }: AccountView): Promise<Order[]> => {
  const stored = await store.quotes.quotes(settings.name);
  const answered = new Set(stored.map(({ name }) => name));
  const unanswered = orders.filter((name) => !answered.has(name)).map((name) => ({ name }));
  return [...stored, ...unanswered].map((order) => ({ ...order, currency: settings.currency }));
};

export const QUOTE_ROUTES = [
  listRoute({
    path: '/api/v1/quotes',
    collector: 'quotes',
    summary: 'Configured orders and their newest answers',
    query: { state: someOf(STATES).describe('Only orders in this state. You can repeat the parameter') },
    item: quote,
    revision: revisionOfParts(['quotes']),
    list: (view, { state: states }) =>
      fromItems(
        whenEnabled(view, 'quotes', async (found) =>
          (await listOrders(found)).filter(
            ({ state }) => states.length === 0 || states.some((each) => each === state),
          ),
        ),
        ({ name }) => name,
      ),
    toJson: quoteJson,
  }),
];
