// Defines the store of proxy users, which has one row for each user and updates it in place.

import type { Rates } from '../lib/forecast.ts';
import type { Metadata } from '../lib/label-parts.ts';
import type { MeteredType } from '../lib/product-types.ts';
import type { IdSet } from '../lib/sorted.ts';
import { bucketStart, DAY, HOUR, SECOND } from '../lib/time.ts';
import type { Counter } from './counter.ts';
import type { Listing } from './listing.ts';

export interface UserQuota {
  /** Bytes allowed; null if unlimited, undefined if not given. */
  readonly limitBytes: number | null | undefined;
  /** Bytes used since the provider's last reset; null if not given. */
  readonly usedBytes: number | null;
}

/** Other values of a user in an answer; null if it gives none. */
export interface UserDetails {
  /** Datetimes as given, in the provider's zone. */
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  /** How many IP addresses the user may authenticate with, and how many it has. */
  readonly addressLimit: number | null;
  readonly addresses: number | null;
  /** How many proxies and services the user is restricted to. */
  readonly restrictedProxies: number | null;
  readonly restrictedServices: number | null;
  /** The keys of the metadata that the configuration lists. A value is null if the user has none. */
  readonly metadata?: Metadata;
}

/** A user in an answer of the provider. */
export interface UserObservation {
  readonly id: string;
  readonly accessType: string;
  readonly isDefault: boolean;
  readonly isDeleted: boolean;
  readonly strictSecurity: boolean;
  readonly enforceHttps: boolean;
  readonly quotas: Readonly<Record<MeteredType, UserQuota>>;
  readonly details: UserDetails;
}

export interface StoredQuota {
  /** Bytes allowed; null if unlimited or expired, which means that two counted listings in a row did not give it. */
  readonly limitBytes: number | null;
  /** Bytes used since the last reset, from before a fall that only one listing showed; null if never given or expired. */
  readonly usedBytes: number | null;
  /** Counter of bytes used since the user's starting point, across resets and corrections. */
  readonly usage: Counter;
  /** How fast bytes were used recently. */
  readonly rates: Rates;
}

export interface StoredUser extends Omit<UserObservation, 'quotas' | 'details'> {
  readonly quotas: Readonly<Record<MeteredType, StoredQuota>>;
}

/** Growth of all users' usage of a product type; below 0 if corrections outweigh it. */
export interface UsagePeriod {
  /**
   * The period (since, until] (ms): from the start of the previous counted listing to the start of the run that showed
   * the growth, or an hour or day of several listings. Periods of a listing that took several runs overlap.
   */
  readonly since: number;
  readonly until: number;
  readonly productType: MeteredType;
  readonly bytes: number;
}

export interface UserPageOptions {
  /** When the listing began (ms), if an earlier run began it. */
  readonly listingStartedAt?: number;
  /** Returns when a user was created (ms); null if that is unknown. */
  readonly createdAtOf?: (user: UserObservation) => number | null;
}

export interface UserStore {
  /**
   * Stores users of a run begun at `startedAt` (ms), in one transaction. After a complete listing, all usage of a new
   * user counts. Before one, it counts only if the user was created since polling began. For all other users, the first
   * observed usage is the starting point. Returns the ids of users that are settled: the same answer would change nothing
   * until a complete listing lacks the user.
   */
  savePage(
    account: string,
    users: readonly UserObservation[],
    now: number,
    startedAt?: number,
    options?: UserPageOptions,
  ): Promise<ReadonlySet<string>>;
  /** Records that a listing saw all users except those that moved meanwhile. It removes no user. */
  countListing(account: string, startedAt: number, now: number): Promise<void>;
  /**
   * Ends a complete listing. A user that is missing from two in a row is removed. It takes several transactions, and
   * the last one marks the listing as complete: neither a crash in between nor a second call changes the result.
   */
  completeListing(account: string, seenIds: IdSet, startedAt: number, now: number): Promise<void>;
  listing(account: string): Promise<Listing>;
  /** Returns the user, or undefined if it is removed or unknown. */
  find(account: string, id: string): Promise<StoredUser | undefined>;
  /** Returns those of these users that are not removed, ordered by id. */
  findAll(account: string, ids: readonly string[]): Promise<StoredUser[]>;
  /** Returns up to `limit` users that are not removed, after the id `after` and up to `until`, ordered by id. */
  page(account: string, after: string, limit: number, until?: string): Promise<StoredUser[]>;
  /** Returns the last answered details of these users by id. They are separate because metrics do not need them. */
  details(account: string, ids: readonly string[]): Promise<Map<string, UserDetails>>;
  /**
   * Returns the growth of all users' used bytes since the baseline, in periods that end in (from, to] (ms), ordered by
   * time: one for each listing, complete or not, and older ones by hour and by day. Periods that a new epoch separates
   * have a gap between them.
   */
  usage(account: string, from: number, to: number): Promise<UsagePeriod[]>;
  /** Returns when the oldest stored period begins (ms), in whatever epoch; null if there is none. */
  usageSince(account: string): Promise<number | null>;
}

/** The longest hourly period: it begins with the last listing before the hour. A longer one is a day, or a gap. */
const LONGEST_HOURLY_PERIOD_MS = 2 * HOUR;

/**
 * Returns the time of a period's sample (ms), in whole seconds, because readers drop fractions. A period belongs to the
 * hour or day in which it ends, as in the store. A later rollup therefore keeps it in its day, so that it is neither lost
 * nor counted twice between two ranges of days.
 */
export const usageTime = ({ since, until }: Pick<UsagePeriod, 'since' | 'until'>, zone: string): number => {
  const unit = until - since <= LONGEST_HOURLY_PERIOD_MS ? HOUR : DAY;
  return Math.floor(Math.max(since, bucketStart(zone, until - 1, unit)) / SECOND) * SECOND;
};
