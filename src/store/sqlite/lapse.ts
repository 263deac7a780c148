// Values that the provider stopped giving: kept at first, and left out once two complete listings in a row lack them.

import type { Listing } from '../listing.ts';

/** When the first listing began (ms) of those in a row that lack the value; null while it is given. */
export const lapsedAt = (
  isGiven: boolean,
  before: number | null,
  startedAt: number,
  { completeStartedAt }: Listing,
): number | null => {
  if (isGiven) return null;
  return hasBegun(before, completeStartedAt) ? before : startedAt;
};

/** A listing that never became complete begins no lapse: the next one does. */
export const hasBegun = (lapse: number | null, completeStartedAt: number | null): boolean =>
  lapse !== null && completeStartedAt !== null && completeStartedAt >= lapse;

/** The value, or null where the newest complete listing, begun at `completeStartedAt` (ms), is not the first to lack it. */
export const unlessLapsed = (
  value: number | null,
  lapsed: number | null,
  completeStartedAt: number | null,
): number | null =>
  lapsed !== null && completeStartedAt !== null && completeStartedAt > lapsed ? null : value;
