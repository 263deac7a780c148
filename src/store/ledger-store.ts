// Defines the stores of the residential and the mobile data ledger, which keep every row forever.

import type { Rates } from '../lib/forecast.ts';
import type { MeteredType } from '../lib/product-types.ts';
import { HOUR } from '../lib/time.ts';
import type { Counter } from './counter.ts';
import type { Listing } from './listing.ts';

export interface LedgerRow {
  readonly id: string;
  readonly reason: string;
  readonly serviceId: string | null;
  /** `YYYY-MM-DD` in the provider's time zone. */
  readonly periodDate: string;
  /**
   * End of that day (ms); null if the row has no date. A row without one that appears after the baseline is new and
   * counts whole, unless earlier rows did not decode, because it may be one of them.
   */
  readonly periodEnd: number | null;
  /** Bytes as given, and the bytes that the row adds to the balance and uses of it according to the rule. */
  readonly bytes: number;
  readonly addedBytes: number;
  readonly usedBytes: number;
  /** Null if not given. */
  readonly requests: number | null;
  /** Id of the provider's adjustment, if any. */
  readonly adjustmentId: number | null;
  /** Times by the provider's clock (ms); null if not given. */
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
}

/** A stored row; `bytes` is null if a version that did not store them yet wrote the row. */
export interface StoredLedgerRow extends Omit<LedgerRow, 'bytes' | 'periodEnd'> {
  readonly bytes: number | null;
}

/** Rows are ordered by the date of their period, then by id. */
export type LedgerPosition = Pick<LedgerRow, 'periodDate' | 'id'>;

/** How rows change the balance. The operator may change this rule. */
export interface LedgerRule {
  /** Identifies the rule: equal rules have equal keys. */
  readonly key: string;
  /** Reasons whose rows are usage. */
  readonly usageReasons: readonly string[];
  balanceOf(reason: string, bytes: number): Balance;
}

export const LEDGER_COUNTERS = ['addedBytes', 'usedBytes', 'requests'] as const;
export type LedgerCounter = (typeof LEDGER_COUNTERS)[number];

/** The rows of one reason: their counters since the baseline, and their number in the whole ledger. */
export interface LedgerReason {
  readonly reason: string;
  /** `requests` is missing if no row ever gave any. */
  readonly counters: Readonly<Record<'addedBytes' | 'usedBytes', Counter> & { requests?: Counter }>;
  readonly entries: number;
}

export interface Balance {
  readonly addedBytes: number;
  readonly usedBytes: number;
}

/** A balance, and how fast it was used recently; `rates` is null until a listing was complete. */
export interface BalanceWithRates extends Balance {
  readonly rates: Rates | null;
}

export interface LedgerSummary {
  readonly listing: Listing;
  readonly reasons: LedgerReason[];
  /** Balance of all rows; undefined while there are none. */
  readonly balance: BalanceWithRates | undefined;
  /** Balances by service, of the rows that name one. */
  readonly services: ReadonlyMap<string, BalanceWithRates>;
}

/** Sums of the rows of one period date, reason and service. */
export interface LedgerDay
  extends Pick<LedgerRow, 'periodDate' | 'reason' | 'serviceId' | 'addedBytes' | 'usedBytes'> {
  /** Null if none of the rows gave any. */
  readonly requests: number | null;
  /** When proxywatch last saw that rows of the date had changed much after they had settled (ms); null if it did not. */
  readonly correctedAt: number | null;
}

/** The row of a day's use can still grow for a while after the day. What comes later is a correction. */
export const LATE_ROWS_MS = 3 * HOUR;

/** The time of a day in published history: its date, as if it were in UTC, because the setting of the provider's zone can change. */
export const publishedDate = (periodDate: string): number => Date.parse(periodDate);

export type LedgerStores = Readonly<Record<MeteredType, LedgerStore>>;

export interface LedgerStore {
  /** Creates the counters of `reasons` at 0, unless they exist, before any row with these reasons appears. */
  open(account: string, reasons: readonly string[], now: number): Promise<void>;
  /** Applies the rule to rows that were stored under another one. Balances change, and nothing is counted. */
  applyRule(account: string, rule: LedgerRule): Promise<void>;
  /** Returns the stored rows of these ids. Unknown ids are left out. */
  stored(account: string, ids: readonly string[]): Promise<ReadonlyMap<string, StoredLedgerRow>>;
  /** Stores a page and grows the counters of its reasons, in one transaction. */
  savePage(account: string, rows: readonly LedgerRow[], now: number, startedAt?: number): Promise<void>;
  /**
   * Marks a listing that began at `startedAt` (ms) as complete, the first one as the baseline. Updates the rates of
   * usage from the rows of `usageReasons`, because an adjustment is no usage. Rows of `skippedIds` did not decode:
   * those that are not stored are missing from the balance.
   */
  completeListing(
    account: string,
    usageReasons: readonly string[],
    startedAt: number,
    now: number,
    skippedIds?: Iterable<string>,
  ): Promise<void>;
  /** Records that a listing saw all rows but those added meanwhile. Its rows count, but the balance is incomplete. */
  countListing(account: string, startedAt: number, now: number, skippedIds?: Iterable<string>): Promise<void>;
  summary(account: string): Promise<LedgerSummary>;
  /** Returns sums by period date, reason and service, in that order, for the dates [from, to) (`YYYY-MM-DD`). */
  days(account: string, from: string, to: string): Promise<LedgerDay[]>;
  /** Returns up to `limit` rows of the dates [from, to) (`YYYY-MM-DD`) after `after`, or from the first if it is null. */
  rows(
    account: string,
    from: string,
    to: string,
    after: LedgerPosition | null,
    limit: number,
  ): Promise<StoredLedgerRow[]>;
  /** Returns the earliest date of a row (`YYYY-MM-DD`); null without rows. */
  firstDate(account: string): Promise<string | null>;
  /** Returns the used bytes of rows with these reasons by date, from `from` on. Dates without such rows are left out. */
  usedByDate(account: string, reasons: readonly string[], from: string): Promise<ReadonlyMap<string, number>>;
  /** Returns the bytes that the newest row with one of these reasons added, if any did. */
  newestAdded(account: string, reasons: readonly string[]): Promise<number | undefined>;
}
