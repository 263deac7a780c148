// What can be bought: checkout/catalog.

import { z } from 'zod';
import type { ProviderClient } from '../client.ts';
import { itemDecoder, noticingOdd, text, unlessOdd } from '../schema.ts';

/** Null where the provider gave no value. */
export interface Product {
  /** Its key in the catalog, which quotes take too; such as `isp_gb`. */
  readonly code: string;
  readonly name: string | null;
  /** An open set: `datacenter`, `isp`, `residential`, `mobile`. */
  readonly type: string | null;
  /** An open set: `ipv4`, `ipv6`, `dual`. */
  readonly protocol: string | null;
  /** Two letters, lowercase; null where it is sold for all countries alike. */
  readonly countryId: string | null;
  /** Each `<count>:<interval>`, such as `1:month`. */
  readonly cycles: readonly string[];
  readonly isAvailable: boolean | null;
  /** Whether it is sold by the proxy rather than by the byte. */
  readonly isPerIp: boolean | null;
  /** How many are left: of proxies, or in the provider's own unit where it is not sold by the proxy. */
  readonly stock: number | null;
}

export interface Catalog {
  readonly products: Product[];
  /** Codes of products that did not decode: they are not gone. */
  readonly skippedCodes: string[];
  /** Products of which a value was of another type than the documented one, and is left out. */
  readonly oddProducts: number;
}

const ENDPOINT = 'checkout/catalog';

const answer = z.object({ data: z.record(z.string(), z.unknown()) });

/** The whole catalog, in one answer. Throws ProviderError. */
export const readCatalog = async (
  client: ProviderClient,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<Catalog> => {
  const { data } = await client.get(ENDPOINT, { schema: answer, signal });
  const products = Object.entries(data).map(([code, item]) => {
    const { decoded: product, isOdd } = noticingOdd(() => decode(item));
    return { code, product, isOdd };
  });
  return {
    products: products.flatMap(({ code, product }) => (product ? [{ code, ...product }] : [])),
    skippedCodes: products.flatMap(({ code, product }) => (product ? [] : [code])),
    oddProducts: products.filter(({ product, isOdd }) => product && isOdd).length,
  };
};

const decode = itemDecoder<Omit<Product, 'code'>>(
  z
    .object({
      product_name: text,
      product_type: text,
      product_protocol: text,
      country_id: text,
      product_cycle_options: unlessOdd(z.array(z.string())),
      product_is_available: unlessOdd(z.boolean()),
      product_is_per_ip: unlessOdd(z.boolean()),
      product_stock: unlessOdd(z.int()),
    })
    .transform((product) => ({
      name: product.product_name,
      type: product.product_type,
      protocol: product.product_protocol,
      countryId: product.country_id,
      cycles: product.product_cycle_options ?? [],
      isAvailable: product.product_is_available ?? null,
      isPerIp: product.product_is_per_ip ?? null,
      stock: product.product_stock ?? null,
    })),
);
