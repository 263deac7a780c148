// Tracks values of a user that the provider stopped giving. They expire when two counted listings lack them.

import type { Listing } from '../../listing.ts';
import type { UserObservation } from '../../user-store.ts';

type Quotas = UserObservation['quotas'];

const IS_MISSING = {
  residential_limit: ({ residential }: Quotas) => residential.limitBytes === undefined,
  residential_used: ({ residential }: Quotas) => residential.usedBytes === null,
  mobile_limit: ({ mobile }: Quotas) => mobile.limitBytes === undefined,
  mobile_used: ({ mobile }: Quotas) => mobile.usedBytes === null,
} as const;
type Value = keyof typeof IS_MISSING;
const VALUES = Object.keys(IS_MISSING) as Value[];

/** For each missing value, when the first of the listings in a row that lack it began (ms). */
export type MissingSince = Readonly<Partial<Record<Value, number>>>;

export interface ValuesRow extends Readonly<Record<Value, number | null>> {
  /** `MissingSince` as JSON; null when no value is missing. */
  readonly expired_values: string | null;
}

const NONE_MISSING: MissingSince = {};

/** Returns the row's new `expired_values` after an observation by a listing that began at `startedAt` (ms). */
export const missingSinceAfter = (
  row: ValuesRow,
  quotas: Quotas,
  startedAt: number,
  { countedStartedAt }: Listing,
): string | null => {
  const isMissing = (value: Value): boolean => row[value] !== null && IS_MISSING[value](quotas);
  if (!VALUES.some(isMissing)) return null;
  const missing = VALUES.filter(isMissing);
  const before = unpackMissingSince(row);
  // Only a listing that was counted afterwards is the start of a missing value. Otherwise the start is this listing.
  const since = (earlier = Number.POSITIVE_INFINITY): number =>
    countedStartedAt !== null && countedStartedAt >= earlier ? earlier : startedAt;
  return JSON.stringify(Object.fromEntries(missing.map((value) => [value, since(before[value])])));
};

export const unpackMissingSince = ({
  expired_values: stored,
}: Pick<ValuesRow, 'expired_values'>): MissingSince =>
  stored === null ? NONE_MISSING : (JSON.parse(stored) as MissingSince);

/** Returns whether the newest counted listing (begun at `countedStartedAt`, ms) is not the first without the value. */
export const isExpired = (missingSince: number | undefined, countedStartedAt: number | null): boolean =>
  missingSince !== undefined && countedStartedAt !== null && countedStartedAt > missingSince;
