// Defines the store of adjustments of services, and of their counters.

import type { Counter } from './counter.ts';
import type { Listing } from './listing.ts';

type Changed = `${'quantity' | 'expiry' | 'total'}${'Before' | 'After'}`;
/** Values of the service before and after, null if not given. Times are in ms, money is in cents. */
export type AdjustmentChanges = Readonly<Record<Changed, number | null>>;

/** A proxy that was replaced by another one. Values are null if not given. Reasons are an open set. */
export type Replacement = Readonly<Record<'reason' | 'oldAddress' | 'newAddress', string | null>>;

/** Values are null if the provider has given none yet. */
export interface Adjustment {
  readonly id: string;
  readonly serviceId: string | null;
  /** Open sets, such as `top_up`, and `pending`, `complete` or `failed`. */
  readonly type: string | null;
  readonly status: string | null;
  /** `administrator`, `automatic` or `customer`. */
  readonly by: string | null;
  /** Times by the provider's clock (ms). */
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  readonly changes: AdjustmentChanges;
  readonly replacements: readonly Replacement[] | null;
}

export type AdjustmentLabels = Readonly<Record<'type' | 'status' | 'by', string>>;

export interface AdjustmentPage {
  readonly adjustments: readonly Adjustment[];
  /** When the run began (ms), and the present. */
  readonly startedAt: number;
  readonly now: number;
  /** Adjustments that are older than this one were deleted, and are not stored again. */
  readonly oldestKept?: AdjustmentPosition | undefined;
  /** The labels are few, whatever the provider answers. */
  labelsOf(adjustment: Adjustment): AdjustmentLabels;
}

/** Which adjustments are read. Times are from `from` to before `to` (ms). */
export interface AdjustmentFilter {
  readonly serviceId?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Only adjustments that come after this id. */
  readonly after?: string | undefined;
}

/** The time is that of the creation; without one, that of the last update; without both, 0. */
export interface AdjustmentPosition {
  readonly at: number;
  readonly id: string;
}

export interface AdjustmentStore {
  /**
   * Stores a page, and counts each adjustment once for each status that it has after the baseline. One that was created
   * more than a day before the baseline is history. A value that is not given keeps its stored value.
   */
  savePage(account: string, page: AdjustmentPage): Promise<void>;
  /** Deletes the oldest adjustments above the limit of an account. */
  trim(account: string): Promise<void>;
  /** Records that a listing begun at `startedAt` (ms) saw all adjustments. The first one is the baseline. */
  completeListing(account: string, startedAt: number, now: number): Promise<void>;
  /** Records that a listing saw all adjustments but those that moved meanwhile. */
  countListing(account: string, startedAt: number, now: number): Promise<void>;
  listing(account: string): Promise<Listing>;
  /** Returns undefined while there is room for older adjustments. */
  oldestKept(account: string): Promise<AdjustmentPosition | undefined>;
  /** Returns up to 20 adjustments that were updated last, and not in the future. */
  recent(account: string, now: number): Promise<{ readonly id: string; readonly updatedAt: number }[]>;
  counters(account: string): Promise<(AdjustmentLabels & { readonly counter: Counter })[]>;
  /** Returns up to `limit` adjustments, the newest first. */
  newest(account: string, limit: number, filter?: AdjustmentFilter): Promise<Adjustment[]>;
}
