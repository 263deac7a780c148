// The residential data ledger as the store keeps it: every row, for ever.

import type { Rates } from '../lib/forecast.ts';
import type { Counter } from './counter.ts';
import type { Listing } from './listing.ts';

export interface LedgerRow {
  readonly id: string;
  readonly reason: string;
  readonly serviceId: string | null;
  /** `YYYY-MM-DD` in the provider's time zone. */
  readonly periodDate: string;
  /**
   * End of that day (ms); null where the row does not say how old it is. First seen after the baseline it is new then,
   * and counts whole, unless there were rows that could not be read: it may be one of them.
   */
  readonly periodEnd: number | null;
  /** As given, and what of it the row adds to the balance and takes from it by the rule that is followed. */
  readonly bytes: number;
  readonly addedBytes: number;
  readonly usedBytes: number;
  /** Null when not given. */
  readonly requests: number | null;
  /** Of the provider's booking, if any. */
  readonly adjustmentId: number | null;
  /** By the provider's clock (ms); null when not given. */
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
}

/** A row as it is kept; its bytes as given are null where it was stored before they were. */
export interface StoredLedgerRow extends Omit<LedgerRow, 'bytes' | 'periodEnd'> {
  readonly bytes: number | null;
}

/** Rows are in order of their period's date, then of their id. */
export type LedgerPosition = Pick<LedgerRow, 'periodDate' | 'id'>;

/** How rows are read, which the operator may change. */
export interface LedgerRule {
  /** The same for the same rule. */
  readonly key: string;
  /** Reasons whose rows are use. */
  readonly useReasons: readonly string[];
  balanceOf(reason: string, bytes: number): Balance;
}

export const LEDGER_COUNTERS = ['addedBytes', 'usedBytes', 'requests'] as const;
export type LedgerCounter = (typeof LEDGER_COUNTERS)[number];

/** One reason's rows: their counters since the baseline, and sums over the whole ledger. */
export interface LedgerReason {
  readonly reason: string;
  /** Without requests where no row ever gave any. */
  readonly counters: Readonly<Record<'addedBytes' | 'usedBytes', Counter> & { requests?: Counter }>;
  readonly entries: number;
}

export interface Balance {
  readonly addedBytes: number;
  readonly usedBytes: number;
}

/** A balance, and how fast it was used of late; null before a listing was complete. */
export interface UsedBalance extends Balance {
  readonly rates: Rates | null;
}

export interface LedgerSummary {
  readonly listing: Listing;
  readonly reasons: LedgerReason[];
  /** Over all rows; undefined while there are none. */
  readonly balance: UsedBalance | undefined;
  /** By service, of the rows that name one. */
  readonly services: ReadonlyMap<string, UsedBalance>;
}

/** Sums of the rows of one period date, reason and service. */
export interface LedgerDay {
  /** `YYYY-MM-DD` in the provider's time zone. */
  readonly periodDate: string;
  readonly reason: string;
  readonly serviceId: string | null;
  readonly addedBytes: number;
  readonly usedBytes: number;
  /** Null where none of the rows gave any. */
  readonly requests: number | null;
}

export interface LedgerStore {
  /** Makes the counters of `reasons` exist, at 0, before any row of theirs is seen. */
  open(account: string, reasons: readonly string[], now: number): Promise<void>;
  /** Reads the rows that were read by another rule anew by this one: balances follow, and nothing is counted. */
  followRule(account: string, rule: LedgerRule): Promise<void>;
  /** Rows of these ids as they are kept; those that are not stored are left out. */
  stored(account: string, ids: readonly string[]): Promise<ReadonlyMap<string, StoredLedgerRow>>;
  /** Stores a page and grows the counters of its reasons, in one transaction. */
  savePage(account: string, rows: readonly LedgerRow[], now: number, startedAt?: number): Promise<void>;
  /**
   * Marks a listing that began at `startedAt` (ms) as complete, the first one as the baseline, and takes note of
   * how fast bytes are used: by the rows of `useReasons`, since an adjustment says nothing of the pace. Rows of
   * `skippedIds` did not decode: those of them that are not stored are what the balance lacks.
   */
  completeListing(
    account: string,
    useReasons: readonly string[],
    startedAt: number,
    now: number,
    skippedIds?: Iterable<string>,
  ): Promise<void>;
  /** Notes that a listing saw all rows but what came meanwhile: good for counting them, and not for the balance. */
  countListing(account: string, startedAt: number, now: number, skippedIds?: Iterable<string>): Promise<void>;
  summary(account: string): Promise<LedgerSummary>;
  /** Sums by period date, reason and service, over the dates [from, to) (`YYYY-MM-DD`), in that order. */
  days(account: string, from: string, to: string): Promise<LedgerDay[]>;
  /** Up to `limit` rows of the dates [from, to) (`YYYY-MM-DD`) after `after`, or the first ones. */
  rows(
    account: string,
    from: string,
    to: string,
    after: LedgerPosition | null,
    limit: number,
  ): Promise<StoredLedgerRow[]>;
}
