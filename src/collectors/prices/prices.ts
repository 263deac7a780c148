// Adds up what used bytes cost, from the prices of the configuration. It sends no requests.

import type { MeteredType } from '../../lib/product-types.ts';
import { type Collector, type OtherSettings, textIf } from '../collector.ts';
import type { ReadContext } from '../context.ts';
import { exposePrices, families, SERIES, SERIES_OF_TYPE } from './expose.ts';
import { sourceOf } from './metered-use.ts';
import { type PriceOptions, pricedTypes, priceOptions } from './options.ts';
import { readPricedTypes } from './spend.ts';

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
