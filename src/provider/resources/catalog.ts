// Reads the catalog of products that can be bought (checkout/catalog).

import { z } from 'zod';
import type { ProviderClient } from '../client.ts';
import { detectInvalid, itemDecoder, nullIfInvalid, text } from '../schema.ts';

/** A value is null if the provider did not give it. */
export interface Product {
  /** The product's key in the catalog and in quotes, such as `isp_gb`. */
  readonly code: string;
  readonly name: string | null;
  /** An open set: `datacenter`, `isp`, `residential`, `mobile`. */
  readonly type: string | null;
  /** An open set: `ipv4`, `ipv6`, `dual`. */
  readonly protocol: string | null;
  /** Two lowercase letters; null if the product is sold for all countries alike. */
  readonly countryId: string | null;
  /** Billing cycles as `<count>:<interval>`, such as `1:month`. */
  readonly cycles: readonly string[];
  readonly isAvailable: boolean | null;
  /** Whether it is sold by the proxy instead of by the byte. */
  readonly isPerIp: boolean | null;
  /**
   * How much is left: the number of proxies, or an amount in the provider's own unit if it is not sold by the proxy. Null
   * also if it is unlimited.
   */
  readonly stock: number | null;
  readonly isStockUnlimited: boolean;
}

export interface Catalog {
  readonly products: Product[];
  /** Codes of products that did not decode. They do not count as removed. */
  readonly skippedCodes: string[];
  /** Number of products with a value that is left out because its type differed from the documented one. */
  readonly partlyInvalidProducts: number;
}

const ENDPOINT = 'checkout/catalog';

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

/** By the provider's documentation of product/search. */
const UNLIMITED_STOCK = -1;

const decode = itemDecoder<Omit<Product, 'code'>>(
  z
    .object({
      product_name: text,
      product_type: text,
      product_protocol: text,
      country_id: text,
      product_cycle_options: nullIfInvalid(z.array(z.string())),
      product_is_available: nullIfInvalid(z.boolean()),
      product_is_per_ip: nullIfInvalid(z.boolean()),
      product_stock: nullIfInvalid(z.int().min(UNLIMITED_STOCK)),
    })
    .transform((product) => ({
      name: product.product_name,
      type: product.product_type,
      protocol: product.product_protocol,
      countryId: product.country_id,
      cycles: product.product_cycle_options ?? [],
      isAvailable: product.product_is_available ?? null,
      isPerIp: product.product_is_per_ip ?? null,
      stock: product.product_stock === UNLIMITED_STOCK ? null : (product.product_stock ?? null),
      isStockUnlimited: product.product_stock === UNLIMITED_STOCK,
    })),
);
