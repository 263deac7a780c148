// Reads the prices of products that are sold by the byte (product/search), which the provider's public documentation has.

import { z } from 'zod';
import type { MeteredType } from '../../lib/product-types.ts';
import type { ProviderClient } from '../client.ts';
import { type ListingOptions, type Page, readPages } from '../pages.ts';
import { fields, itemDecoder, nonNegativeAmount, nullable } from '../schema.ts';

/** Amounts are in cents. Whether a unit is a GB or a GiB is not documented. A value is null if the provider did not give it. */
const price = fields({
  /** Of one unit. */
  perUnit: ['price_per_unit_amount', nullable(nonNegativeAmount)],
  /** `volume` or `graduated`; an open set. */
  tierType: ['price_tier_type', nullable(z.string())],
  /** The largest quantity of each tier, null for the last one, and the amount of a unit. */
  tiers: [
    'price_tiers',
    nullable(
      z.array(
        fields({
          upTo: ['price_tier_up_to', nullable(nonNegativeAmount)],
          amount: ['price_tier_amount', nonNegativeAmount],
        }),
      ),
    ),
  ],
});
export type ProductPrice = z.output<typeof price>;

const product = fields({
  isActive: ['product_is_active', nullable(z.boolean())],
  prices: ['product_prices', z.array(price)],
});
type PricedProduct = z.output<typeof product>;

/** Reads the active products of the type. Throws ProviderError. */
export const readProducts = (
  client: ProviderClient,
  type: MeteredType,
  { signal }: Pick<ListingOptions, 'signal'> = {},
): AsyncGenerator<Page<PricedProduct>, void, undefined> =>
  readPages(client, 'product/search', {
    query: { product_type: type, product_is_active: true },
    idField: 'product_id',
    decode: itemDecoder(product),
    signal,
  });
