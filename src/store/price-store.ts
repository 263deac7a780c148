// Defines the store of bytes by the price at which they were used, from which counters of cost follow.

import type { MeteredType } from '../lib/product-types.ts';

export interface CountedBytes {
  readonly productType: MeteredType;
  /** Which counter of bytes it is. */
  readonly source: string;
  /** A code of ISO 4217, and units of it for a byte. */
  readonly currency: string;
  readonly pricePerByte: number;
  /** The value of the counter, which never falls while the source is the same. */
  readonly bytes: number;
}

export interface Cost {
  readonly productType: MeteredType;
  readonly currency: string;
  /** In units of the currency. It never falls. */
  readonly cost: number;
}

export interface PriceStore {
  /**
   * Counts the bytes since the last call of the product type. They cost what they did then: a new price is for the bytes
   * from now on. The first call, and one with another source or a counter that has begun again, only notes the counter.
   */
  count(account: string, counted: CountedBytes): Promise<void>;
  /** Ordered by product type and currency. */
  costs(account: string): Promise<Cost[]>;
}
