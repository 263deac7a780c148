// Defines the store of each proxy user's use over time, by hour and by day of the account's time zone.

import type { LabelParts } from '../lib/label-parts.ts';
import type { MeteredType } from '../lib/product-types.ts';

export type UsedBytes = Readonly<Record<MeteredType, number>>;

/** The listings between which bytes were counted: from the start of one to the start of the other (ms). */
export interface UsePeriod {
  readonly since: number;
  readonly until: number;
}

export interface CountedUse extends UsePeriod {
  /** Whether the provider gave the used bytes of a type for any user. */
  readonly isGiven: Readonly<Record<MeteredType, boolean>>;
}

/** The days of an account for which use is stored. On all other days, the use is unknown. */
export interface UseDay extends CountedUse {
  /** The number of the local date; see local-days.ts. */
  readonly day: number;
  /** By the index of the hour in its day. Hours without an entry are unknown. Empty for days older than 8 days. */
  readonly hours: ReadonlyMap<number, CountedUse>;
}

export interface UserDay {
  readonly day: number;
  readonly bytes: UsedBytes;
  /** By the index of the hour in its day; null if the hours are no longer stored. */
  readonly hours: ReadonlyMap<number, UsedBytes> | null;
}

/**
 * The listings (ms) between which the provider did not give a user's used bytes: from the start of the first one without
 * them, 0 for the beginning, to that of the first one that has them again, or infinity. Null if it always gave them.
 * Several such periods count as one.
 */
export type MissingUse = Readonly<Record<MeteredType, UsePeriod | null>>;

export interface UserUse {
  readonly missing: MissingUse;
  /** The use up to and including this day was deleted to save space, and is unknown; null if none was deleted. */
  readonly deletedUntil: number | null;
  /** Days without use are missing. */
  readonly days: readonly UserDay[];
}

/** A user with its use in a range of days. */
export interface RankedUse {
  readonly user: number;
  readonly bytes: UsedBytes;
}

export interface UseRanking {
  /** The users with the most bytes of the requested types, the largest first. */
  readonly first: readonly RankedUse[];
  /** The number of users with bytes of these types. */
  readonly users: number;
  /** The sum over all users. */
  readonly sum: UsedBytes;
  /** Users with unknown use in the range, because their rows were deleted to save space. */
  readonly deletedUsers: number;
  /** In the order of the requested labels. The values with the most bytes of the requested types come first. */
  readonly labels: readonly LabelParts<UsersUse>[];
}

/** The use of some users, and the number of those with bytes of the requested types. */
export interface UsersUse {
  readonly users: number;
  readonly bytes: UsedBytes;
}

/** The first hour of a first day, and the last hour of a last day, by their indexes in these days. Both are included. */
export interface HourCut {
  readonly first: number;
  readonly last: number;
}

export interface RankingRequest {
  /** The first and the last day. */
  readonly from: number;
  readonly to: number;
  /** Cuts these days. Hours that are no longer stored count as hours without use. */
  readonly hours?: HourCut | undefined;
  /** The types that the order counts. */
  readonly types: readonly MeteredType[];
  readonly limit: number;
  /** Keys of the metadata by which the use is grouped. */
  readonly labels?: readonly string[];
}

export interface UserUseStore {
  /**
   * Stores what each user used since the last call, if an hour has ended since, as seen by the newest counted listing.
   * It takes several transactions, and the event loop is free between them. After a kill in between, the next call
   * continues: nothing is lost or counted twice. Returns whether it stored anything.
   */
  store(account: string, zone: string, signal: AbortSignal): Promise<boolean>;
  /** Returns the days with stored use between two days, both included, in order. */
  days(account: string, from: number, to: number): Promise<UseDay[]>;
  /** Returns since when use is stored (ms); null if none is. */
  since(account: string): Promise<number | null>;
  /** Returns the use of a user between two days, both included; undefined for an unknown user. Removed users are known. */
  ofUser(account: string, id: string, from: number, to: number): Promise<UserUse | undefined>;
  /** Ranks users by their use. It reads in slices, and the event loop is free between them. */
  ranking(account: string, request: RankingRequest): Promise<UseRanking>;
  /** Returns a ranked user; undefined if it was deleted since. */
  rankedUser(
    user: number,
  ): Promise<{ readonly id: string; readonly isRemoved: boolean; readonly missing: MissingUse } | undefined>;
}
