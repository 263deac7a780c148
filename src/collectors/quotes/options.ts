// Defines the options of the quotes collector: the orders whose prices it requests, each in one of three forms.

import { z } from 'zod';
import { cronExpression, labelText as text } from '../../config/primitives.ts';
import { CYCLE_INTERVALS, type QuoteOrder } from '../../provider/resources/quotes.ts';

const count = () => z.int().min(1);

/** Rejects a key that belongs to another form, with the reason. */
const notAllowed = (reason: string) => z.never({ error: `remove this key: ${reason}` }).optional();
const impliedByCode = notAllowed('product_code already determines it');
const impliedByLocations = notAllowed('locations already determine it');

const terms = {
  name: text().describe('Name of the order. The name is the label `quote`'),
  cycle_interval: z.enum(CYCLE_INTERVALS).default('month').describe('Unit of the billing cycle'),
  cycle_interval_count: count().default(1).describe('Length of the billing cycle, in that unit'),
  promotional_code: text().optional().describe('Promotional code of the order'),
};
const quantity = count().describe('Number of proxies');
const asn_id = z
  .int()
  .optional()
  .describe('Only proxies of this network. The account needs the provider’s permission for this option');

const byCode = z.strictObject({
  ...terms,
  product_code: z
    .string({
      error: ({ input }) => (input === undefined ? 'expected product_code or product_type' : undefined),
    })
    .min(1)
    .describe('Code of a product in the catalog'),
  quantity,
  asn_id,
  product_type: impliedByCode,
  country_id: impliedByCode,
  protocol: impliedByCode,
  locations: impliedByCode,
});

const byType = z.strictObject({
  ...terms,
  product_type: text().describe('Type of the product, instead of product_code'),
  country_id: text().optional().describe('Country of the proxies'),
  protocol: text().optional().describe('Internet protocol of the proxies, such as ipv4'),
  quantity,
  asn_id,
  product_code: impliedByCode,
  locations: notAllowed('you cannot combine it with country_id, protocol, quantity or asn_id'),
});

const byLocations = z.strictObject({
  ...terms,
  product_type: text().describe('Type of the product, instead of product_code'),
  locations: z
    .array(z.strictObject({ country_id: text().describe('Country of the proxies'), quantity }))
    .min(1)
    .describe('Countries, each with a number of proxies'),
  product_code: impliedByCode,
  country_id: impliedByLocations,
  protocol: impliedByLocations,
  quantity: impliedByLocations,
  asn_id: impliedByLocations,
});

const item = z.union([byCode, byType, byLocations]);

export const quoteOptions = z.strictObject({
  schedule: cronExpression().default('20 * * * *').describe('Schedule for requesting prices'),
  items: z.array(item).default([]).describe('Orders. proxywatch requests their prices, and buys nothing'),
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
