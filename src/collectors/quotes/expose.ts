// Exposes quotes from the store as samples.

import { gauge, type SampleSink } from '../../lib/family.ts';
import type { StoredQuote } from '../../store/quote-store.ts';
import type { ReadContext } from '../context.ts';
import type { QuoteOptions } from './options.ts';

const SOURCE = "in the provider's unit of money, cents by its documentation, from checkout/quote, polled.";
const QUOTE = ['quote'] as const;

export const families = {
  valid: gauge(
    'proxywatch_quote_valid',
    '1 if the order can be made, 0 if stock is short or the provider does not take it, from checkout/quote, polled.',
    QUOTE,
  ),
  price: gauge(
    'proxywatch_quote_price',
    `To be paid for a cycle, the discount taken off; absent while the order can't be made, ${SOURCE}`,
    QUOTE,
  ),
  listPrice: gauge(
    'proxywatch_quote_list_price',
    `The same before the discount; absent while the order can't be made, ${SOURCE}`,
    QUOTE,
  ),
  discount: gauge(
    'proxywatch_quote_discount',
    `The discount; absent while the order can't be made, ${SOURCE}`,
    QUOTE,
  ),
  creditBalance: gauge('proxywatch_credit_balance', `The account's credit, ${SOURCE}`, []),
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
