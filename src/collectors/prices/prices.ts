// Adds up and exposes what used bytes cost, from the prices of the configuration. It sends no requests.

import type { SampleSink } from '../../lib/family.ts';
import type { MeteredType } from '../../lib/product-types.ts';
import { type Collector, type OtherSettings, textIf } from '../collector.ts';
import type { ReadContext } from '../context.ts';
import { counters, gauges, sampleAll } from '../families.ts';
import { sourceOf } from './metered-use.ts';
import { type PriceOptions, pricedTypes, priceOptions } from './options.ts';
import { readPricedTypes, readSpend, type Spend } from './spend.ts';

const UNIT = 'in units of the currency';
const PRICE = 'at the price of the configuration.';
const MISSING = 'The series is missing while it is unknown.';
const TYPE = ['product_type', 'currency'] as const;
const PERIOD = ['product_type', 'period', 'currency'] as const;

const families = {
  ...counters(TYPE, {
    proxywatch_cost_total: `Cost of used bytes since the prices were configured, ${UNIT}. Bytes cost what the configuration said when they were read.`,
  }),
  ...gauges(TYPE, {
    proxywatch_price_per_byte: `Price of a byte, ${UNIT}, from the configuration. The series is missing if the price has tiers and no purchase is known.`,
    proxywatch_burn_per_day: `Average cost of a day, ${UNIT}, over the last 7 full days, ${PRICE} ${MISSING}`,
    proxywatch_balance_value: `Value of the bytes that are left, ${UNIT}, ${PRICE} ${MISSING}`,
  }),
  ...gauges(PERIOD, {
    proxywatch_spend: `Cost of the bytes that were used in the day, week or month so far, ${UNIT}, ${PRICE} ${MISSING}`,
    proxywatch_spend_forecast: `Cost of the whole month if each further day costs the average of the last 7 full days, ${UNIT}. ${MISSING}`,
  }),
  ...gauges(['period', 'currency'], {
    proxywatch_budget: `Most money to spend in the day, week or month, ${UNIT}, from the configuration.`,
  }),
} as const;

/** The series of a product type, and of all types together. */
export const [SERIES_OF_TYPE, SERIES] = [8, 3];

const exposePrices = async (context: ReadContext<PriceOptions>, sink: SampleSink): Promise<void> => {
  const { account, options, store } = context;
  const { currency } = account;
  for (const { productType: product_type, cost, ...of } of await store.prices.costs(account.name))
    sampleAll(sink, { product_type, currency: of.currency }, families, { proxywatch_cost_total: cost });
  for (const spend of await readSpend(context)) exposeType(spend, currency, sink);
  for (const [period, amount] of Object.entries(options.budget))
    sampleAll(sink, { period, currency }, families, { proxywatch_budget: amount });
};

const exposeType = (spend: Spend, currency: string, sink: SampleSink): void => {
  const { type: product_type, pricePerByte: price, use, bytesPerDay, byPeriod, monthForecast } = spend;
  const costOf = (bytes: number | undefined) =>
    bytes === undefined || price === undefined ? undefined : bytes * price;
  sampleAll(sink, { product_type, currency }, families, {
    proxywatch_price_per_byte: price,
    proxywatch_burn_per_day: costOf(bytesPerDay),
    proxywatch_balance_value: costOf(use?.leftBytes),
  });
  for (const [period, amount] of Object.entries(byPeriod))
    sampleAll(sink, { product_type, period, currency }, families, { proxywatch_spend: amount });
  sampleAll(sink, { product_type, period: 'month', currency }, families, {
    proxywatch_spend_forecast: monthForecast,
  });
};

const SOURCES = ['residential_ledger', 'mobile_ledger', 'usage'] as const;

const warningsAbout = (type: MeteredType, price: unknown, settings: OtherSettings): string[] => {
  const source = sourceOf(settings, type);
  const unknown = `the cost of ${type} data stays unknown while ${type}_ledger`;
  return [
    ...textIf(source === undefined, `${unknown} and usage are off`),
    ...textIf(
      source === 'usage' && typeof price === 'object',
      `${unknown} is off, because its purchases decide about the tier`,
    ),
  ];
};

export const prices: Collector<PriceOptions> = {
  name: 'prices',
  description: 'Cost of residential and mobile bytes, by the prices that you set',
  endpoints: [],
  families: Object.values(families),
  usesSettingsOf: SOURCES,
  showsDataOf: SOURCES,
  after: SOURCES,
  options: priceOptions,
  cost: (options, _zone, _now, settings = {}) => ({
    requestsPerDay: 0,
    series: SERIES_OF_TYPE * pricedTypes(options).length + SERIES,
    assumptions: [],
    warnings: pricedTypes(options).flatMap((type) => warningsAbout(type, options[type], settings)),
  }),
  // A new price is for what is read from now on.
  open: countCost,
  collect: async (context) => {
    await countCost(context);
    return { skipped: 0, failedParts: [] };
  },
  // Nothing is known before a source has been read, which is no failure.
  hasData: async ({ name }, store) => (await store.prices.costs(name)).length > 0,
  expose: exposePrices,
};

async function countCost(context: ReadContext<PriceOptions>): Promise<void> {
  const { account, store } = context;
  for (const { type: productType, pricePerByte, use } of await readPricedTypes(context)) {
    if (!use || pricePerByte === undefined) continue;
    const { counterKey: source, countedBytes: bytes } = use;
    await store.prices.count(account.name, {
      ...{ productType, source, pricePerByte, bytes, currency: account.currency },
    });
  }
}
