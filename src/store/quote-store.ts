// Quotes as the store keeps them: the newest answer to each configured order.

/** An order under a name, and what it asks for: another one under the same name is another order. */
export interface NamedOrder {
  readonly name: string;
  readonly terms: string;
}

/** Whether an order can be made, and if not, why: as the answer says, for want of stock, or since the provider refuses it. */
export type QuoteState = 'valid' | 'invalid' | 'short_stock' | 'rejected';

/** What an answer says beside its price, also of an order that can't be made; null where it gives no value. */
export interface QuoteDetails {
  /** What is left of the price when the account's credit has been used. */
  readonly totalAfterCredit: number | null;
  readonly isDiscounted: boolean | null;
  readonly promotionalCode: string | null;
  readonly promotionalCodeId: string | null;
  /** Not explained by the provider. */
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
  /** So many of each country. */
  readonly locations: readonly { readonly countryId: string | null; readonly quantity: number | null }[];
}

/** Money is in the provider's unit; null where the answer gives none, and prices of an order that can't be made. */
export interface StoredQuote extends NamedOrder {
  readonly state: QuoteState;
  /** The provider's words on an order that can't be made, if any. */
  readonly reason: string | null;
  /** To be paid for a cycle, the discount taken off. */
  readonly price: number | null;
  readonly listPrice: number | null;
  readonly discount: number | null;
  /** The account's credit. */
  readonly creditBalance: number | null;
  /** Null where the answer was a refusal. */
  readonly details: QuoteDetails | null;
  /** When it was answered (ms). */
  readonly answeredAt: number;
}

export interface QuoteStore {
  /** Forgets the quotes of all other orders. */
  retain(account: string, orders: readonly NamedOrder[]): Promise<void>;
  save(account: string, quote: StoredQuote): Promise<void>;
  /** By name. */
  quotes(account: string): Promise<StoredQuote[]>;
}
