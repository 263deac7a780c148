// Defines the store of the state of an account's endpoints, which must survive a restart.

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

export interface StoredEndpoints {
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
