// The state of an account's endpoints that must outlive a restart.

/** Times in ms. */
export interface StoredEndpoint {
  readonly endpoint: string;
  readonly lastSuccessAt: number | null;
  /** The first rejection of the keys since it last succeeded. */
  readonly rejectedSince: number | null;
  /** HTTP status of the newest rejection. */
  readonly rejectedStatus: number | null;
  /** The first refusal for pace or quota since it last succeeded. */
  readonly refusedSince: number | null;
  /** The end of its pause. */
  readonly pausedUntil: number | null;
}

export interface Standing {
  readonly endpoints: readonly StoredEndpoint[];
  /** Attempts in a row that nobody answered: the first and the newest. */
  readonly unreached: { readonly since: number; readonly newestAt: number } | null;
}

export interface EndpointStore {
  /** Empty for an unknown account. */
  standing(account: string): Promise<Standing>;
  /** Replaces what was stored: endpoints that are not in it are forgotten. */
  save(account: string, standing: Standing): Promise<void>;
}
