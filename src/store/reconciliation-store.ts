// Defines the store of the daily reconciliation, which compares the account's data sources.

/**
 * Compared pairs: the difference is the first minus the second. `coarse` is the provider's own sum of a day, requested
 * again. `charged` is what the provider charges by its log summaries, and `usage` all that these have. `summary` is the bytes left by its sums, against the balance.
 */
export const SOURCE_PAIRS = [
  'buckets_coarse',
  'residential_buckets_coarse',
  'residential_buckets_ledger',
  'users_ledger',
  'residential_charged_ledger',
  'mobile_charged_ledger',
  'residential_buckets_charged',
  'mobile_buckets_charged',
  'buckets_usage',
  'residential_users_usage',
  'mobile_users_usage',
  'residential_summary_ledger',
  'mobile_summary_ledger',
] as const;
export type SourcePair = (typeof SOURCE_PAIRS)[number];

/** Part of a difference and its cause. */
export interface ExplainedDifference {
  readonly cause: string;
  readonly bytes: number;
}

/** An hour for which the two sources differ. */
interface DifferingHour {
  /** Start (ms). */
  readonly at: number;
  readonly firstBytes: number;
  readonly secondBytes: number;
}

/** A pair of sources compared for a day of the provider's time zone. */
export interface ReconciledDay {
  readonly pair: SourcePair;
  /** Start of the day (ms), and `YYYY-MM-DD`. */
  readonly dayStart: number;
  readonly date: string;
  readonly firstBytes: number;
  readonly secondBytes: number;
  /** Causes that explain bytes of the difference; bytes are below 0 if the second source is larger. */
  readonly explained: readonly ExplainedDifference[];
  /** The rest of the difference. */
  readonly unexplainedBytes: number;
  /** The differing hours, for pairs with the provider's own sums and more unexplained bytes than tolerated. */
  readonly hours: readonly DifferingHour[];
}

export interface ReconciliationStore {
  /** Stores days in one transaction and replaces their earlier results. */
  save(account: string, days: readonly ReconciledDay[], now: number): Promise<void>;
  newest(account: string): Promise<ReconciledDay[]>;
  /** Returns the days that start in [from, to) (ms), ordered by time, then by pair. */
  days(account: string, from: number, to: number): Promise<ReconciledDay[]>;
}
