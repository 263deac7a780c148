// Defines the store of the catalog: the products on sale, and watched products that are not.

/** A product as the provider answered it; null where it gave no value. */
export interface ProductObservation {
  readonly code: string;
  readonly name: string | null;
  readonly type: string | null;
  readonly protocol: string | null;
  readonly countryId: string | null;
  /** Billing cycles, each `<count>:<interval>`; null if unknown. */
  readonly cycles: readonly string[] | null;
  /** Whether it is sold per proxy and not per byte. */
  readonly isPerIp: boolean | null;
  readonly isAvailable: boolean | null;
  /** How many are left; null also if they are unlimited. */
  readonly stock: number | null;
  readonly isStockUnlimited: boolean;
}

export interface CatalogObservation {
  readonly products: readonly ProductObservation[];
  /** Codes of products that did not decode. They do not count as missing. */
  readonly skippedCodes: readonly string[];
}

export interface StoredProduct extends ProductObservation {
  /**
   * False if the product was removed from the catalog or never was in it. Then it is not available and has no stock.
   */
  readonly isListed: boolean;
}

export interface CatalogStore {
  /**
   * Stores a complete catalog in one transaction. A product that is missing from two in a row is removed, and so is a
   * watched one that was never listed. Of removed products only those in `watched` are kept. Returns the watched codes
   * that this catalog removed.
   */
  save(account: string, catalog: CatalogObservation, watched: readonly string[]): Promise<string[]>;
  /** Returns the products, ordered by code. */
  products(account: string): Promise<StoredProduct[]>;
}
