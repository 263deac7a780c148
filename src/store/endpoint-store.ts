// How the provider's endpoints answered an account, as far as a restart must not forget it.

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
  /** Until then the provider asked not to be asked. */
  readonly pausedUntil: number | null;
}

export interface Standing {
  readonly endpoints: readonly StoredEndpoint[];
  /** Attempts in a row that nobody answered: the first and the newest. */
  readonly unreached: { readonly since: number; readonly newestAt: number } | null;
}

export interface EndpointStore {
  /** Of an unknown account nothing is known. */
  standing(account: string): Promise<Standing>;
  /** In the place of what was stored: endpoints that are not in it are forgotten. */
  save(account: string, standing: Standing): Promise<void>;
}
