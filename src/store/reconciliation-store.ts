// What the daily comparisons of the account's sources found.

/** Pairs of sources, the first minus the second; `coarse` is the provider's own sum of a day, asked for anew. */
export const PAIRS = [
  'buckets_coarse',
  'residential_buckets_coarse',
  'residential_buckets_ledger',
  'users_ledger',
] as const;
export type Pair = (typeof PAIRS)[number];

/** Part of a difference and why it is there. */
export interface Explained {
  readonly cause: string;
  readonly bytes: number;
}

/** An hour of which both sides say something else. */
export interface DifferingHour {
  /** Start (ms). */
  readonly at: number;
  readonly firstBytes: number;
  readonly secondBytes: number;
}

/** Both sides of a pair in a day of the provider's zone. */
export interface Reconciled {
  readonly pair: Pair;
  /** Start of the day (ms), and `YYYY-MM-DD`. */
  readonly dayStart: number;
  readonly date: string;
  readonly firstBytes: number;
  readonly secondBytes: number;
  /** Those with bytes in the difference, below 0 where the second side is larger. */
  readonly explained: readonly Explained[];
  /** What is left of the difference. */
  readonly unexplainedBytes: number;
  /** Of pairs with the provider's own sums, where more is left than is tolerated. */
  readonly hours: readonly DifferingHour[];
}

export interface ReconciliationStore {
  /** Puts days in the place of what was found of them before, in one transaction. */
  save(account: string, days: readonly Reconciled[], now: number): Promise<void>;
  /** The newest day of each pair. */
  newest(account: string): Promise<Reconciled[]>;
  /** Days that start in [from, to) (ms), in order of time, then of pairs by name. */
  days(account: string, from: number, to: number): Promise<Reconciled[]>;
}
