// Quotes as the store keeps them: the newest answer to each configured order.

/** An order under a name, and what it asks for: another one under the same name is another order. */
export interface NamedOrder {
  readonly name: string;
  readonly terms: string;
}

/** Whether an order can be made, and if not, why: as the answer says, for want of stock, or since the provider refuses it. */
export type QuoteState = 'valid' | 'invalid' | 'short_stock' | 'rejected';

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
