// Reads the catalog of products that can be bought (checkout/catalog), and the prices of those that are sold by the byte
// (product/search), which the provider's public documentation has.

import { z } from 'zod';
import type { MeteredType } from '../../lib/product-types.ts';
import type { ProviderClient } from '../client.ts';
import { type Pages, readPages } from '../pages.ts';
import type { SignalOption } from '../request.ts';
import { detectInvalid, fields, itemDecoder, nonNegativeAmount, nullable, text } from '../schema.ts';

/** By the provider's documentation of product/search. */
const UNLIMITED_STOCK = -1;

/** A value is null if the provider did not give it. */
const product = fields({
  name: ['product_name', text],
  /** An open set: `datacenter`, `isp`, `residential`, `mobile`. */
  type: ['product_type', text],
  /** An open set: `ipv4`, `ipv6`, `dual`. */
  protocol: ['product_protocol', text],
  /** Two lowercase letters; null if the product is sold for all countries alike. */
  countryId: ['country_id', text],
  /** Billing cycles as `<count>:<interval>`, such as `1:month`. */
  cycles: ['product_cycle_options', nullable(z.array(z.string())).transform((cycles) => cycles ?? [])],
  isAvailable: ['product_is_available', nullable(z.boolean())],
  /** Whether it is sold by the proxy instead of by the byte. */
  isPerIp: ['product_is_per_ip', nullable(z.boolean())],
  /**
   * How much is left: the number of proxies, or an amount in the provider's own unit if it is not sold by the proxy. Null
   * also if it is unlimited.
   */
  stock: ['product_stock', nullable(z.int().min(UNLIMITED_STOCK))],
}).transform((product) => {
  const isStockUnlimited = product.stock === UNLIMITED_STOCK;
  return { ...product, stock: isStockUnlimited ? null : product.stock, isStockUnlimited };
});

export interface Product extends z.output<typeof product> {
  /** The product's key in the catalog and in quotes, such as `isp_gb`. */
  readonly code: string;
}

export interface Catalog {
  readonly products: Product[];
  /** Codes of products that did not decode. They do not count as removed. */
  readonly skippedCodes: string[];
  /** Number of products with a value that is left out because its type differed from the documented one. */
  readonly partlyInvalidProducts: number;
}

const ENDPOINT = 'checkout/catalog';

const decode = itemDecoder(product);

const answer = z.object({ data: z.record(z.string(), z.unknown()) });

/** Reads the whole catalog in one answer. Throws ProviderError. */
export const readCatalog = async (
  client: ProviderClient,
  { signal }: SignalOption = {},
): Promise<Catalog> => {
  const { data } = await client.get(ENDPOINT, { schema: answer, signal });
  const products = Object.entries(data).map(([code, item]) => {
    const { decoded: product, hasInvalidValue } = detectInvalid(() => decode(item));
    return { code, product, hasInvalidValue };
  });
  return {
    products: products.flatMap(({ code, product }) => (product ? [{ code, ...product }] : [])),
    skippedCodes: products.flatMap(({ code, product }) => (product ? [] : [code])),
    partlyInvalidProducts: products.filter(({ product, hasInvalidValue }) => product && hasInvalidValue)
      .length,
  };
};

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

const pricedProduct = fields({
  isActive: ['product_is_active', nullable(z.boolean())],
  prices: ['product_prices', z.array(price)],
});
type PricedProduct = z.output<typeof pricedProduct>;

/** Reads the active products of the type. Throws ProviderError. */
export const readProducts = (
  client: ProviderClient,
  type: MeteredType,
  { signal }: SignalOption = {},
): Pages<PricedProduct> =>
  readPages(client, 'product/search', {
    query: { product_type: type, product_is_active: true },
    idField: 'product_id',
    decode: itemDecoder(pricedProduct),
    signal,
  });
