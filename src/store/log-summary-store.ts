// Defines the store of a day's use by proxy user, network and host name, and of its counters.

import type { MeteredType } from '../lib/product-types.ts';
import { DAY } from '../lib/time.ts';
import type { Counter } from './counter.ts';
import type { UseValues } from './summarised-names.ts';

/** The counters, in the order of UseValues. */
export const USE_COUNTERS = ['bytes', 'requests', 'chargedBytes', 'chargedRequests'] as const;
export type UseCounter = (typeof USE_COUNTERS)[number];

/** The use of one host name by one user in one network on one day. Empty texts are not known. */
export interface Use {
  readonly id: string;
  readonly user: string;
  readonly network: string;
  readonly hostname: string;
  readonly values: UseValues;
}

const CHUNK = 64;

/** A number for each row, which is never 0. The rows of a day mostly have numbers in a row, so chunks need little memory. */
export class RowMarks {
  readonly #chunks = new Map<number, Uint32Array>();
  size = 0;

  /** Returns 0 for a row without a mark. */
  get(row: number): number {
    return this.#chunks.get(Math.floor(row / CHUNK))?.[row % CHUNK] ?? 0;
  }

  set(row: number, mark: number): void {
    const number = Math.floor(row / CHUNK);
    const chunk = this.#chunks.get(number) ?? new Uint32Array(CHUNK);
    this.#chunks.set(number, chunk);
    if (chunk[row % CHUNK] === 0) this.size += 1;
    chunk[row % CHUNK] = mark;
  }
}

/** A reading of the rows of a day, or of those that changed. It is kept in memory: after a restart, the day is read again from its first page. */
export interface UsePass {
  /** The day in the provider's zone, as if it were in UTC (ms). */
  readonly day: number;
  /** By number of a stored row: the hash of the id with which the pass saw it. */
  readonly marks: RowMarks;
  /** The numbers of the names that the pass has met. */
  readonly names: Map<string, number>;
  /** The values by the hash of the id, of rows that were seen with several ids. */
  readonly repeated: Map<number, Map<number, UseValues>>;
  /** How many listed rows of the store the pass saw. */
  seenRows: number;
  /** Users and networks of which all rows are settled together, because a row has a wider name or is missing. */
  readonly groups: Set<string>;
  /** Whether a row has less than before. */
  hasFallen: boolean;
}

export const newUsePass = (day: number): UsePass => ({
  day,
  marks: new RowMarks(),
  names: new Map(),
  repeated: new Map(),
  seenRows: 0,
  groups: new Set(),
  hasFallen: false,
});

export interface SavedRows<T> {
  readonly added: T[];
  readonly changed: T[];
}

export interface UsePassEnd {
  /** When the pass began to read (ms), and now. */
  readonly startedAt: number;
  readonly now: number;
  /** The end of the day (ms). */
  readonly dayEnd: number;
  /** Whether the pass saw all rows that it asked for. */
  readonly isComplete: boolean;
  /** Whether rows did not decode or were not read. No row is then missing, and rows with wider names are not settled. */
  readonly lacksRows: boolean;
  /** Whether it is the present day, whose first complete pass is the baseline of the counters. */
  readonly isToday: boolean;
  /** The most users and host names with counters of their own. */
  readonly top: TopLimits;
}

export const TOP_KINDS = ['user', 'hostname'] as const;
export type TopKind = (typeof TOP_KINDS)[number];
export type TopLimits = Readonly<Record<TopKind, number>>;

export interface UseDay {
  readonly day: number;
  /** When the newest complete pass over the day began (ms), which may have read only what changed. */
  readonly readAt: number;
  readonly rows: number;
  /** Whether rows of the day were deleted to save space, or by age. It is not read again, because they would count again. */
  readonly isDeleted: boolean;
}

/** A counter of a network, and of one of its top users or host names, or of all others; null for the network as a whole. */
export interface UseCounterGroup {
  readonly network: string;
  readonly of: { readonly kind: TopKind /** Null for the others. */; readonly name: string | null } | null;
  readonly counters: Readonly<Partial<Record<UseCounter, Counter>>>;
}

export const USE_KEYS = ['user', 'network', 'hostname', 'day'] as const;
export type UseKey = (typeof USE_KEYS)[number];

export interface UseSum {
  /** The user, network, host name or day (ms). */
  readonly key: string | number;
  readonly values: UseValues;
  readonly charged: ChargedBytes;
}

/** Charged bytes of the product types that are sold by the byte. Null if no row has them. */
export type ChargedBytes = Readonly<Record<MeteredType, number | null>>;

export interface UseSums {
  /** Those with the most charged bytes first. */
  readonly sums: readonly UseSum[];
  /** How many more there are, and their sum; null if there are none. */
  readonly others: number;
  readonly rest: Omit<UseSum, 'key'> | null;
  readonly total: Omit<UseSum, 'key'> | null;
}

/** The most rows of an account. The oldest days are deleted first. */
export const MAX_USE_ROWS = 2_000_000;

/** A range of days, the last one included. A filter matches exactly. */
export interface UseQuery {
  readonly from: number;
  readonly to: number;
  readonly by: UseKey;
  readonly limit: number;
  readonly user?: string | undefined;
  readonly network?: string | undefined;
  readonly hostname?: string | undefined;
}

export interface LogSummaryStore {
  /** Forgets what an interrupted pass over the day has read. Returns false if rows of the day were deleted. */
  begin(account: string, day: number): Promise<boolean>;
  /** Compares rows with the stored ones and returns those that are new or changed. Nothing is counted before the pass ends. */
  saveRows<T extends Use>(account: string, pass: UsePass, uses: readonly T[]): Promise<SavedRows<T>>;
  /** Settles and counts what changed. */
  end(account: string, pass: UsePass, end: UsePassEnd): Promise<void>;
  days(account: string): Promise<UseDay[]>;
  counters(
    account: string,
  ): Promise<{ readonly storedAt: number | null; readonly groups: readonly UseCounterGroup[] }>;
  /** `visit` gets all sums, also those above the limit. */
  sums(account: string, query: UseQuery, visit?: (sum: UseSum) => void): Promise<UseSums>;
}

/** Returns the day of a date (`YYYY-MM-DD`) as if it were in UTC (ms), and the date of a day. */
export const dayOf = (date: string): number => Math.floor(Date.parse(date) / DAY) * DAY;
export const dateOf = (day: number): string => new Date(day).toISOString().slice(0, 'YYYY-MM-DD'.length);
