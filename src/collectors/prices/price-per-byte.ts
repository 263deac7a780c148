// Computes what a byte costs, for prices by tiers from the size of a purchase.

import type { MeteredType } from '../../lib/product-types.ts';
import type { PriceOptions, TieredPrice } from './options.ts';

export const UNIT_BYTES = { GB: 1e9, GiB: 2 ** 30 } as const;

/**
 * Returns the price of a byte in units of the currency; undefined without a price, and for tiers if no purchase is known
 * or none of the tiers is large enough for it.
 */
export const pricePerByte = (
  options: PriceOptions,
  type: MeteredType,
  purchasedBytes: number | undefined,
): number | undefined => {
  const price = options[type];
  const bytes = UNIT_BYTES[options.per];
  if (typeof price !== 'object') return price && price / bytes;
  if (!purchasedBytes) return undefined;
  const perUnit = tierPrice(price, purchasedBytes / bytes);
  return perUnit && perUnit / bytes;
};

/** Returns the average price of a unit in a purchase of so many units. */
const tierPrice = ({ type, tiers }: TieredPrice, units: number): number | undefined => {
  const last = tiers.findIndex(({ up_to: end = Infinity }) => units <= end);
  if (last === -1) return undefined;
  if (type === 'volume') return tiers[last]?.price;
  const total = tiers.slice(0, last + 1).reduce((sum, { up_to: end = Infinity, price }, index) => {
    const start = tiers[index - 1]?.up_to ?? 0;
    return sum + (Math.min(units, end) - start) * price;
  }, 0);
  return total / units;
};
