// Defines the stores of accounts: which of the provider's customers the data belongs to, and the state of the endpoints,
// which must survive a restart.

/** The account's keys belong to `found`, but its history belongs to `known`. */
interface CustomerConflict {
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

/** The state of one endpoint. Times are in ms. */
export interface StoredEndpoint {
  readonly endpoint: string;
  readonly lastSuccessAt: number | null;
  /** The first answer of 401, 403 or 499 since the endpoint last succeeded. */
  readonly rejectedSince: number | null;
  /** HTTP status of the newest rejection. */
  readonly rejectedStatus: number | null;
  /** The first answer of 429, for pace or quota, since the endpoint last succeeded. */
  readonly refusedSince: number | null;
  /** The end of the endpoint's pause. */
  readonly pausedUntil: number | null;
}

interface StoredEndpoints {
  readonly endpoints: readonly StoredEndpoint[];
  /** The first and the newest of the attempts in a row without an answer; null after an answer. */
  readonly unreached: { readonly since: number; readonly newestAt: number } | null;
}

export interface EndpointStore {
  /** Returns the stored state, which is empty for an unknown account. */
  load(account: string): Promise<StoredEndpoints>;
  /** Replaces the stored state. Endpoints that are not in the new one are forgotten. */
  save(account: string, endpoints: StoredEndpoints): Promise<void>;
}
