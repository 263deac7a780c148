// Defines the stores of accounts: their customers, the state of the endpoints, and the last run of each collector.

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

export type RunResult = 'ok' | 'partial' | 'failed';

export interface FinishedRun {
  readonly account: string;
  readonly collector: string;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly result: RunResult;
  /** Whether the run read the collector's main data: always if ok, never if failed, and sometimes if partial. */
  readonly isSuccess: boolean;
  /** Kind of the first error, if there was one. */
  readonly errorKind: string | null;
  /** Message of that error for operators, without secrets. */
  readonly errorMessage: string | null;
  /** Items that did not decode. */
  readonly skippedItems: number;
  /** Parts that failed while others succeeded. */
  readonly failingParts: number;
  /** The schedule's current interval (ms). */
  readonly intervalMs: number;
  /** How long the whole listing takes (ms), over all its runs: measured if it is complete, estimated before. */
  readonly pass?: { readonly ms: number; readonly isComplete: boolean } | undefined;
}

export interface RunState extends Omit<FinishedRun, 'pass'> {
  /** When a run last succeeded (ms). */
  readonly lastSuccessAt: number | null;
  /** Failed runs in a row. */
  readonly failures: number;
  /** Since when runs are made without a gap of several intervals (ms). Data may be older because nothing polled before. */
  readonly watchedSince: number;
  /** How long the last whole listing took, or the current one is estimated to take if longer (ms); 0 if unknown. */
  readonly wholeListingMs: number;
}

export interface RunStore {
  /** A failed run does not change the skipped items and the failing parts. */
  record(run: FinishedRun): Promise<void>;
  /** Sets `watchedSince` to `now` (ms) if the collector's last run is several intervals old. */
  watch(account: string, collector: string, now: number): Promise<void>;
  states(account: string): Promise<RunState[]>;
}
