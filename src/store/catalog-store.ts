// Defines the stores of the market: the catalog of products, the newest answer to each configured order, and places.

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

interface CatalogObservation {
  readonly products: readonly ProductObservation[];
  /** Codes of products that did not decode. They do not count as missing. */
  readonly skippedCodes: readonly string[];
}

export interface StoredProduct extends ProductObservation {
  /** False if the product was removed from the catalog or never was in it. Then it is not available and has no stock. */
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

/** A configured order. The same name with other terms is another order. */
export interface NamedOrder {
  readonly name: string;
  readonly terms: string;
}

/** Whether an order can be made. If not, the answer says so, stock is short, or the provider refuses it. */
type QuoteState = 'valid' | 'invalid' | 'short_stock' | 'rejected';

/** Other values of an answer, also for an order that cannot be made; null if it gives none. */
interface QuoteDetails {
  /** The rest of the price after the account's credit is used. */
  readonly totalAfterCredit: number | null;
  readonly isDiscounted: boolean | null;
  readonly promotionalCode: string | null;
  readonly promotionalCodeId: string | null;
  /** The provider does not explain this value. */
  readonly isCreditOnly: boolean | null;
  readonly isCreditApplied: boolean | null;
  readonly appliedCredit: number | null;
  readonly isTopUp: boolean | null;
  readonly topUpAmount: number | null;
  readonly lineItems: readonly QuotedItem[];
}

export interface QuotedItem {
  readonly name: string | null;
  readonly type: string | null;
  readonly priceType: string | null;
  readonly priceId: string | null;
  readonly unitPrice: number | null;
  readonly quantity: number | null;
  readonly total: number | null;
  readonly countryId: string | null;
  readonly locations: readonly { readonly countryId: string | null; readonly quantity: number | null }[];
}

/** Money is in the provider's unit. It is null if the answer gives none, and prices are null if an order cannot be made. */
export interface StoredQuote extends NamedOrder {
  readonly state: QuoteState;
  /** The provider's reason why an order cannot be made, if any. */
  readonly reason: string | null;
  /** The price of a billing cycle after the discount. */
  readonly price: number | null;
  readonly listPrice: number | null;
  readonly discount: number | null;
  readonly creditBalance: number | null;
  /** Null if the provider refused the order. */
  readonly details: QuoteDetails | null;
  /** When it was answered (ms). */
  readonly answeredAt: number;
}

export interface QuoteStore {
  retain(account: string, orders: readonly NamedOrder[]): Promise<void>;
  save(account: string, quote: StoredQuote): Promise<void>;
  /** Returns the quotes, ordered by name. */
  quotes(account: string): Promise<StoredQuote[]>;
}

/** `residential` and `mobile` are the available nodes of the type in a country, whose id they have. */
export type PlaceKind = 'continent' | 'asn' | 'city' | 'subdivision' | 'residential' | 'mobile';

export interface PlaceKey {
  readonly kind: PlaceKind;
  readonly id: string;
}

/** Values are null if the provider gave none, or has none for the kind. */
export interface Place extends PlaceKey {
  readonly name: string | null;
  /** Nodes that are online or available. */
  readonly nodes: number | null;
  readonly ipAddresses: number | null;
  readonly details: PlaceDetails;
}

/** Values that only some kinds of places have; null if the provider gave none. */
interface PlaceDetails {
  readonly alias?: string | null;
  readonly countryId?: string | null;
  readonly subdivisionId?: string | null;
  /** The type of a network, such as `hosting`, and its registry. */
  readonly asnType?: string | null;
  readonly rir?: string | null;
  readonly examplePostcode?: string | null;
  readonly isPopulous?: boolean | null;
  /** Degrees, north and east above 0. */
  readonly latitude?: number | null;
  readonly longitude?: number | null;
  readonly population?: number | null;
  readonly timeZone?: string | null;
}

export interface GeographyStore {
  /** Deletes all other places. Continents are kept if `keepsContinents` is true. */
  retain(account: string, places: readonly PlaceKey[], keepsContinents: boolean): Promise<void>;
  /** Stores answered places and counts missing ones, in one transaction. A place is removed if it is missing twice in a row. */
  save(account: string, places: readonly Place[], missing: readonly PlaceKey[]): Promise<void>;
  /** Returns the places that are not removed, ordered by kind and id. */
  places(account: string): Promise<Place[]>;
}
