// Tracks values that the provider stopped giving, and what later listings may still change about a user's usage.

import { METERED_TYPES, type MeteredType } from '../../../lib/product-types.ts';
import type { Listing } from '../../listing.ts';
import type { Fall } from '../../usage.ts';
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

interface UnsettledUsage {
  readonly falls: Readonly<Record<MeteredType, readonly Fall[]>>;
  /** Whether the user has not been observed in this epoch. Its use at the next observation is its starting point. */
  readonly restarts: boolean;
}

type PackedFall = [old: number, at: number, counted: number, held: number | null];
type PackedUsage = Readonly<Partial<Record<MeteredType, PackedFall[]> & { restarts: true }>>;

const SETTLED: UnsettledUsage = { falls: { residential: [], mobile: [] }, restarts: false };

/** The stored value of every user at the start of a new epoch. */
export const RESTARTED_USAGE = JSON.stringify({ restarts: true } satisfies PackedUsage);

export const unpackUnsettledUsage = (stored: string | null): UnsettledUsage => {
  if (stored === null) return SETTLED;
  const { residential = [], mobile = [], restarts = false } = JSON.parse(stored) as PackedUsage;
  return { falls: { residential: residential.map(unpackFall), mobile: mobile.map(unpackFall) }, restarts };
};

export const packUnsettledUsage = ({ falls, restarts }: UnsettledUsage): string | null => {
  const typesWithFalls = METERED_TYPES.filter((type) => falls[type].length > 0);
  if (typesWithFalls.length === 0 && !restarts) return null;
  const packed = Object.fromEntries(typesWithFalls.map((type) => [type, falls[type].map(packFall)]));
  return JSON.stringify({ ...packed, ...(restarts && { restarts }) });
};

/** Returns whether the next observation changes the row even if the provider's answer is the same. */
export const hasPendingChange = (stored: string | null): boolean => {
  if (stored === null) return false;
  const { falls, restarts } = unpackUnsettledUsage(stored);
  return restarts || hasHeldFall(falls);
};

/** Returns whether a fall waits for another observation of the user. */
export const hasHeldFall = (falls: UnsettledUsage['falls']): boolean =>
  METERED_TYPES.some((type) => falls[type].at(-1)?.held != null);

const packFall = ({ old, at, counted, held }: Fall): PackedFall => [old, at, counted, held];

const unpackFall = ([old, at, counted, held]: PackedFall): Fall => ({ old, at, counted, held });
