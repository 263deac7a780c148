// Defines how far a collector's listing of an account has come.

/** Times are in ms, and null before they first occurred. */
export interface Listing {
  /** When the first page of this epoch was requested. */
  readonly beganAt: number | null;
  /** When the first complete listing began. */
  readonly baselinedAt: number | null;
  /** When the newest complete listing began, and when its end was stored. */
  readonly completeStartedAt: number | null;
  readonly completeAt: number | null;
  /** The same for the newest counted listing: a complete one, or one that lacks only items that moved while it was read. */
  readonly countedStartedAt: number | null;
  readonly countedAt: number | null;
  /** Rows of the newest counted listing that never decoded. */
  readonly undecodedRows: number;
  /** When the newest run that stored anything began. Counters that this run created are still held. */
  readonly storedAt: number | null;
}

/** An item is removed when this many complete listings in a row lack it. */
export const MISSED_LISTINGS_UNTIL_REMOVED = 2;
