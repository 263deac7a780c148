// Tells which proxies are sold by the byte.

import { METERED_TYPES, PRODUCT_TYPES } from '../../lib/product-types.ts';

const FREE_TYPES: ReadonlySet<string> = new Set(
  PRODUCT_TYPES.filter((type) => !METERED_TYPES.some((metered) => metered === type)),
);

/** An unknown type counts as metered, because its bytes may cost money. */
export const isMetered = (productType: string): boolean => !FREE_TYPES.has(productType);
