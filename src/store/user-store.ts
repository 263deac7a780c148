// Proxy users as the store keeps them: one row each, updated in place.

import type { Rates } from '../lib/forecast.ts';
import type { MeteredType } from '../lib/product-types.ts';
import type { Counter } from './counter.ts';
import type { Listing } from './listing.ts';

/** What an answer says of a user's bytes. */
export interface UserQuota {
  /** Bytes allowed; null when unlimited, undefined when not given. */
  readonly limitBytes: number | null | undefined;
  /** Bytes used since the provider's last reset; null when not given. */
  readonly usedBytes: number | null;
}

/** What an answer says of a user beside its quotas; null where it gives no value. */
export interface UserDetails {
  /** Datetimes as given, in the provider's zone. */
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  /** How many addresses the user may authenticate by, and by how many it does. */
  readonly addressLimit: number | null;
  readonly addresses: number | null;
  /** How many proxies and services the user is restricted to. */
  readonly restrictedProxies: number | null;
  readonly restrictedServices: number | null;
}

/** A user as the provider answered it. */
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
  /** Bytes allowed; null when unlimited, or lapsed: not given by two listings in a row that count. */
  readonly limitBytes: number | null;
  /** Bytes used since the provider's last reset, as before a fall that was seen once; null when never given, or lapsed. */
  readonly usedBytes: number | null;
  /** Bytes used since the user's starting point, over resets and corrections. */
  readonly usage: Counter;
  /** How fast bytes were used of late. */
  readonly rates: Rates;
}

export interface StoredUser extends Omit<UserObservation, 'quotas' | 'details'> {
  readonly quotas: Readonly<Record<MeteredType, StoredQuota>>;
}

/** How much more all users had used of a product type; less than 0 when corrections outweigh it. */
export interface UsagePeriod {
  /**
   * Seen in (since, until] (ms): from the start of the listing that counted before to that of the run that showed it,
   * or over several of an hour or day. Those of one listing overlap where it took several runs.
   */
  readonly since: number;
  readonly until: number;
  readonly productType: MeteredType;
  readonly bytes: number;
}

export interface PageOfUsers {
  /** When the listing began (ms), where an earlier run did. */
  readonly passStartedAt?: number;
  /** When a user was created (ms); null if that is unknown. */
  readonly bornAt?: (user: UserObservation) => number | null;
}

export interface UserStore {
  /**
   * Stores a page, of a run begun at `startedAt` (ms), in one transaction. After a complete listing, all counts that
   * a user that is seen for the first time has used; before one, only if it was made since polling began. What others
   * have used by then is their starting point.
   */
  savePage(
    account: string,
    users: readonly UserObservation[],
    now: number,
    startedAt?: number,
    more?: PageOfUsers,
  ): Promise<void>;
  /** Records that a listing saw all users except those that moved meanwhile: it removes no user. */
  countListing(account: string, startedAt: number, now: number): Promise<void>;
  /**
   * Ends a complete listing. A user that two of them in a row do not have is removed. It takes several transactions, and
   * the last one marks the listing as complete: neither a crash in between nor a second call changes the result.
   */
  completeListing(account: string, seen: ReadonlySet<string>, startedAt: number, now: number): Promise<void>;
  listing(account: string): Promise<Listing>;
  /** The user, unless it is gone or was never there. */
  find(account: string, id: string): Promise<StoredUser | undefined>;
  /** Up to `limit` users that are not gone, by id, after `after`. */
  page(account: string, after: string, limit: number): Promise<StoredUser[]>;
  /** By id, of these users, as last answered: apart from them, since metrics need none of it. */
  details(account: string, ids: readonly string[]): Promise<Map<string, UserDetails>>;
  /**
   * Growth of all users' used bytes since the baseline, in periods that end in (from, to] (ms), in order of time:
   * one for each listing, complete or not, and older ones by hour and by day.
   */
  usage(account: string, from: number, to: number): Promise<UsagePeriod[]>;
}
