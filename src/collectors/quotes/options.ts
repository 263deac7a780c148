// Defines the options of the quotes collector: the orders whose prices it requests, each in one of three forms.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';
import { CYCLE_INTERVALS, type QuoteOrder } from '../../provider/resources/quotes.ts';

const text = () => z.string().min(1);
const count = () => z.int().min(1);

/** Rejects a key that belongs to another form, with the reason. */
const notAllowed = (reason: string) => z.never({ error: `leave it out: ${reason}` }).optional();
const impliedByCode = notAllowed('product_code says it all');
const impliedByLocations = notAllowed('locations say it');

const terms = {
  name: text().describe('Label `quote` of the series'),
  cycle_interval: z.enum(CYCLE_INTERVALS).default('month'),
  cycle_interval_count: count().default(1),
  promotional_code: text().optional(),
};
const quantity = count();
const asn_id = z
  .int()
  .optional()
  .describe('Proxies of this network alone; needs a permission of the account');

const byCode = z.strictObject({
  ...terms,
  product_code: z
    .string({
      error: ({ input }) => (input === undefined ? 'expected product_code or product_type' : undefined),
    })
    .min(1)
    .describe('A product of the catalog'),
  quantity,
  asn_id,
  product_type: impliedByCode,
  country_id: impliedByCode,
  protocol: impliedByCode,
  locations: impliedByCode,
});

const byType = z.strictObject({
  ...terms,
  product_type: text(),
  country_id: text().optional(),
  protocol: text().optional(),
  quantity,
  asn_id,
  product_code: impliedByCode,
  locations: notAllowed('country_id, protocol, quantity and asn_id do not go with it'),
});

const byLocations = z.strictObject({
  ...terms,
  product_type: text(),
  locations: z.array(z.strictObject({ country_id: text(), quantity })).min(1),
  product_code: impliedByCode,
  country_id: impliedByLocations,
  protocol: impliedByLocations,
  quantity: impliedByLocations,
  asn_id: impliedByLocations,
});

const item = z.union([byCode, byType, byLocations]);

export const quoteOptions = z.strictObject({
  schedule: cronExpression().default('20 * * * *'),
  items: z.array(item).default([]).describe('Orders whose prices are asked for; nothing is bought'),
});

export type QuoteOptions = z.infer<typeof quoteOptions>;
export type QuoteItem = z.infer<typeof item>;

export const orderOf = (item: QuoteItem): QuoteOrder => {
  const cycle = { interval: item.cycle_interval, count: item.cycle_interval_count };
  const terms = { cycle, promotionalCode: item.promotional_code };
  if (item.locations) {
    const locations = item.locations.map(({ country_id, quantity }) => ({ countryId: country_id, quantity }));
    return { ...terms, productType: item.product_type, locations };
  }
  const product =
    item.product_code === undefined
      ? { type: item.product_type, countryId: item.country_id, protocol: item.protocol }
      : { code: item.product_code };
  return { ...terms, product, quantity: item.quantity, asnId: item.asn_id };
};
