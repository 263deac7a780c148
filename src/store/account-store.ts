// Defines the store of accounts: which of the provider's customers the data of each account belongs to.

/** The account's keys belong to `found`, but its history belongs to `known`. */
export interface CustomerConflict {
  readonly known: number;
  readonly found: number;
}

/** An account that another store runs since. Its rows stay until retention deletes them. */
export interface MovedAccount {
  readonly account: string;
  /** When it was moved out (ms). */
  readonly at: number;
}

export interface AccountStore {
  /** Returns the accounts that were moved out of this store. */
  movedOut(): Promise<MovedAccount[]>;
  /**
   * Stores the first customer that answers for an account, and returns the stored one: another customer's answers must
   * not be mixed into the account's history. Stores another customer as a conflict until the known one answers again.
   */
  claimCustomer(account: string, customerId: number): Promise<number>;
  customer(account: string): Promise<number | undefined>;
  /** Returns the conflict, or undefined if the newest answer that named a customer named the known one. */
  conflict(account: string): Promise<CustomerConflict | undefined>;
}
