// Accounts: whose data the rows are.

export interface AccountStore {
  /**
   * Remembers the provider's customer behind an account the first time, and tells which one it is:
   * another customer's answer must not be mixed into the account's history.
   */
  claimCustomer(account: string, customerId: number): Promise<number>;
  customer(account: string): Promise<number | undefined>;
}
