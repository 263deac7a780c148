// Reads the catalog of products that can be bought (checkout/catalog).

import { z } from 'zod';
import type { ProviderClient } from '../client.ts';
import { detectInvalid, fields, itemDecoder, nullable, text } from '../schema.ts';

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
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
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
