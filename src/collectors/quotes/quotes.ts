// Collects from checkout/quote what configured orders would cost and whether they can be made.

import { COUNTRY_WORDS, PRODUCT_TYPE_WORDS, PROTOCOL_WORDS } from '../../provider/documented-words.ts';
import { ProviderError } from '../../provider/errors.ts';
import { CUSTOMER_ENDPOINT } from '../../provider/resources/proxy-users.ts';
import { type Quote, readQuote } from '../../provider/resources/quotes.ts';
import type { NamedOrder, StoredQuote } from '../../store/catalog-store.ts';
import { type Collector, type Conflict, type Outcome, slotsPerDay } from '../collector.ts';
import type { RunContext } from '../context.ts';
import { verifyCustomer } from '../customer.ts';
import { gauges, sampleAll } from '../families.ts';
import { PartStates } from '../parts/part-states.ts';
import { collectParts } from '../parts/parts-run.ts';
import { type UnknownWord, unknownWord } from '../unknown-words.ts';
import { orderOf, type QuoteItem, type QuoteOptions, quoteOptions } from './options.ts';

const MONEY = "in cents of the account's currency, polled from checkout/quote.";
const SOURCE = `${MONEY} The series is missing while the provider refuses the order.`;
const QUOTE = ['quote'] as const;

const families = {
  ...gauges(QUOTE, {
    proxywatch_quote_valid:
      'Whether the provider would accept the order (1) or not (0), polled from checkout/quote. The provider also refuses an order if the stock is too small.',
    proxywatch_quote_price: `Price of the order for one billing cycle after the discount, ${SOURCE}`,
    proxywatch_quote_list_price: `Price of the order for one billing cycle before the discount, ${SOURCE}`,
    proxywatch_quote_discount: `Discount on the order for one billing cycle, ${SOURCE}`,
  }),
  ...gauges([], {
    proxywatch_credit_balance: `Credit of the account, ${MONEY}`,
  }),
} as const;

const exposeQuotes: Collector<QuoteOptions>['expose'] = async ({ account, store }, sink) => {
  const quotes = await store.quotes.quotes(account.name);
  for (const { name: quote, state, price, listPrice, discount } of quotes) {
    sampleAll(sink, { quote }, families, {
      proxywatch_quote_valid: Number(state === 'valid'),
      proxywatch_quote_price: price,
      proxywatch_quote_list_price: listPrice,
      proxywatch_quote_discount: discount,
    });
  }
  sink.sample(families.proxywatch_credit_balance, {}, newestCreditBalance(quotes));
};

/** Returns the credit balance of the newest answer that has one. An answer about short stock has none. */
const newestCreditBalance = (quotes: readonly StoredQuote[]): number | null | undefined =>
  quotes
    .filter(({ creditBalance }) => creditBalance !== null)
    .reduce<StoredQuote | undefined>(
      (newest, quote) => (newest && newest.answeredAt > quote.answeredAt ? newest : quote),
      undefined,
    )?.creditBalance;

const ENDPOINT = 'checkout/quote';
const IN_FLIGHT = 1;
const SERIES_PER_QUOTE = 4;

export const quotes: Collector<QuoteOptions, PartStates> = {
  name: 'quotes',
  description: 'Prices of orders that you configure',
  endpoints: [ENDPOINT, CUSTOMER_ENDPOINT],
  families: Object.values(families),
  options: quoteOptions,
  mistakes: ({ items }) => items.flatMap(duplicateName),
  unknownWords: ({ items }) => items.flatMap((item, index) => unknownWordsOf(item, ['items', index])),
  cost: ({ schedule, items }, zone, now) => ({
    requestsPerDay: slotsPerDay(schedule, zone, now) * items.length,
    series: items.length * SERIES_PER_QUOTE + 1,
    assumptions: [],
    warnings: [],
  }),
  open: async ({ account, options, store }) => {
    await store.quotes.retain(account.name, options.items.map(toNamedOrder));
    return new PartStates();
  },
  collect,
  expose: exposeQuotes,
};

const duplicateName = ({ name }: QuoteItem, index: number, items: readonly QuoteItem[]): Conflict[] =>
  items.findIndex((other) => other.name === name) === index
    ? []
    : [{ path: ['items', index, 'name'], message: `another quote has the name "${name}" already` }];

const unknownWordsOf = (item: QuoteItem, path: UnknownWord['path']): UnknownWord[] => [
  ...unknownWord(PRODUCT_TYPE_WORDS, item.product_type, [...path, 'product_type']),
  ...unknownWord(COUNTRY_WORDS, item.country_id, [...path, 'country_id']),
  ...unknownWord(PROTOCOL_WORDS, item.protocol, [...path, 'protocol']),
  ...(item.locations ?? []).flatMap(({ country_id }, index) =>
    unknownWord(COUNTRY_WORDS, country_id, [...path, 'locations', index, 'country_id']),
  ),
];

const toNamedOrder = (item: QuoteItem): NamedOrder => ({
  name: item.name,
  terms: JSON.stringify(orderOf(item)),
});

async function collect(context: RunContext<QuoteOptions>, states: PartStates): Promise<Outcome> {
  const { account, options, store } = context;
  // Credit and prices belong to one customer.
  await verifyCustomer(context);
  const previous = new Map((await store.quotes.quotes(account.name)).map((quote) => [quote.name, quote]));
  const parts = options.items.map((item) => ({
    name: item.name,
    endpoint: ENDPOINT,
    collect: () => collectQuote(context, item, previous.get(item.name)),
  }));
  return collectParts(context, states, { parts, limit: IN_FLIGHT, answerErrorKind: 'rejected' });
}

/** Stores a quote. Returns 1 if the answer lacks a value because its type differed from the documented one. */
async function collectQuote(
  context: RunContext<QuoteOptions>,
  item: QuoteItem,
  previous: StoredQuote | undefined,
): Promise<number> {
  const { client, signal } = context;
  try {
    const quote = await readQuote(client, orderOf(item), { signal });
    await save(context, item, previous, answerOf(quote));
    return quote.state === 'short_stock' ? 0 : Number(quote.hasInvalidValue);
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'rejected') throw error;
    // A refused order is an answer. The earlier values no longer apply, and QuoteInvalid fires.
    await save(context, item, previous, { ...WITHOUT_VALUES, state: 'rejected', reason: error.message });
    return 0;
  }
}

type Answer = Omit<StoredQuote, keyof NamedOrder | 'answeredAt'>;

const save = async (
  context: RunContext<QuoteOptions>,
  item: QuoteItem,
  previous: StoredQuote | undefined,
  answer: Answer,
): Promise<void> => {
  const { account, clock, log, store } = context;
  await verifyCustomer(context);
  const { state, reason } = answer;
  await store.quotes.save(account.name, { ...toNamedOrder(item), ...answer, answeredAt: clock.now() });
  if (state === (previous?.state ?? 'valid')) return;
  log.info(
    { quote: item.name, state, reason },
    state === 'valid'
      ? 'the provider accepts this order again'
      : 'the provider does not accept this order, for the given reason',
  );
};

const NO_PRICE = { price: null, listPrice: null, discount: null };
const WITHOUT_VALUES = { ...NO_PRICE, creditBalance: null, details: null };

const answerOf = (quote: Quote): Answer => {
  switch (quote.state) {
    case 'valid': {
      const { total, listPrice, discount } = quote.prices;
      const { creditBalance, details } = quote;
      return { state: 'valid', reason: null, price: total, listPrice, discount, creditBalance, details };
    }
    case 'invalid': {
      const { reason, creditBalance, details } = quote;
      return { ...NO_PRICE, state: 'invalid', reason, creditBalance, details };
    }
    case 'short_stock':
      return { ...WITHOUT_VALUES, state: 'short_stock', reason: null };
  }
};
