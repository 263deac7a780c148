// Exposes quotes from the store as samples.

import { gauge, type SampleSink } from '../../lib/family.ts';
import type { StoredQuote } from '../../store/catalog-store.ts';
import type { ReadContext } from '../context.ts';
import type { QuoteOptions } from './options.ts';

const MONEY = "in cents of the account's currency, polled from checkout/quote.";
const SOURCE = `${MONEY} The series is missing while the provider refuses the order.`;
const QUOTE = ['quote'] as const;

export const families = {
  valid: gauge(
    'proxywatch_quote_valid',
    'Whether the provider would accept the order (1) or not (0), polled from checkout/quote. The provider also refuses an order if the stock is too small.',
    QUOTE,
  ),
  price: gauge(
    'proxywatch_quote_price',
    `Price of the order for one billing cycle after the discount, ${SOURCE}`,
    QUOTE,
  ),
  listPrice: gauge(
    'proxywatch_quote_list_price',
    `Price of the order for one billing cycle before the discount, ${SOURCE}`,
    QUOTE,
  ),
  discount: gauge(
    'proxywatch_quote_discount',
    `Discount on the order for one billing cycle, ${SOURCE}`,
    QUOTE,
  ),
  creditBalance: gauge('proxywatch_credit_balance', `Credit of the account, ${MONEY}`, []),
} as const;

export const exposeQuotes = async (
  { account, store }: ReadContext<QuoteOptions>,
  sink: SampleSink,
): Promise<void> => {
  const quotes = await store.quotes.quotes(account.name);
  for (const { name: quote, state, price, listPrice, discount } of quotes) {
    sink.sample(families.valid, { quote }, Number(state === 'valid'));
    sink.sample(families.price, { quote }, price);
    sink.sample(families.listPrice, { quote }, listPrice);
    sink.sample(families.discount, { quote }, discount);
  }
  sink.sample(families.creditBalance, {}, newestCreditBalance(quotes));
};

/** Returns the credit balance of the newest answer that has one. An answer about short stock has none. */
const newestCreditBalance = (quotes: readonly StoredQuote[]): number | null | undefined =>
  quotes
    .filter(({ creditBalance }) => creditBalance !== null)
    .reduce<StoredQuote | undefined>(
      (newest, quote) => (newest && newest.answeredAt > quote.answeredAt ? newest : quote),
      undefined,
    )?.creditBalance;
