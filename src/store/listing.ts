/** How far a collector's listing of an account has come; times in ms, null before they first came. */
export interface Listing {
  /** When the first page was asked for, in this epoch. */
  readonly beganAt: number | null;
  /** When the first complete listing began. */
  readonly baselinedAt: number | null;
  /** When the newest complete listing began, and when its end was stored. */
  readonly completeStartedAt: number | null;
  readonly completeAt: number | null;
  /** Likewise, of the newest listing that counts: complete, or short by no more than what moved while it was read. */
  readonly countedStartedAt: number | null;
  readonly countedAt: number | null;
  /** Rows of the newest listing that counts which were never understood. */
  readonly unread: number;
  /** When the newest run began that stored anything: what it made itself is not older, and held back still. */
  readonly storedAt: number | null;
}

/** Complete listings in a row that do not have an item until it is gone. */
export const MISSED_WHEN_GONE = 2;
