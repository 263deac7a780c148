// The catalog as the store keeps it: what is on sale, and what was watched for and is not.

/** A product as the provider answered it; null where it gave no value. */
export interface ProductObservation {
  readonly code: string;
  readonly name: string | null;
  readonly type: string | null;
  readonly protocol: string | null;
  readonly countryId: string | null;
  /** Each `<count>:<interval>`; null where they are not known. */
  readonly cycles: readonly string[] | null;
  /** Whether it is sold by the proxy rather than by the byte. */
  readonly isPerIp: boolean | null;
  readonly isAvailable: boolean | null;
  /** How many are left. */
  readonly stock: number | null;
}

export interface CatalogObservation {
  readonly products: readonly ProductObservation[];
  /** Codes of products that did not decode: they are not gone. */
  readonly skippedCodes: readonly string[];
}

export interface StoredProduct extends ProductObservation {
  /** False when the catalog does not have it any more, or never had: then it is not available, and has no stock. */
  readonly isListed: boolean;
}

export interface CatalogStore {
  /**
   * Stores a whole catalog in one transaction. Gone is what two in a row do not have, and what is watched and was never
   * seen; of what is gone the `watched` codes alone are kept. Returns those of them that are gone since this catalog.
   */
  save(account: string, catalog: CatalogObservation, watched: readonly string[]): Promise<string[]>;
  /** By code. */
  products(account: string): Promise<StoredProduct[]>;
}
