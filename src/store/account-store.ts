// Accounts: whose data the rows are.

/** Keys of a customer that is not the one of the account's history. */
export interface CustomerConflict {
  readonly known: number;
  readonly found: number;
}

export interface AccountStore {
  /**
   * Remembers the provider's customer behind an account the first time, and tells which one it is: another
   * customer's answer must not be mixed into the account's history. That there was one is remembered as well,
   * until an answer of the known customer comes.
   */
  claimCustomer(account: string, customerId: number): Promise<number>;
  customer(account: string): Promise<number | undefined>;
  /** Undefined while the newest answer that named a customer named the known one. */
  conflict(account: string): Promise<CustomerConflict | undefined>;
}
