// The new state of a user after a sighting: pure, from its row, the answer and the progress of the listing.

import { newRates, observe } from '../../../lib/forecast.ts';
import type { MeteredType } from '../../../lib/product-types.ts';
import { grown } from '../../counter.ts';
import type { Listing } from '../../listing.ts';
import { type Fall, type UseSeen, useSeen } from '../../usage.ts';
import type { StoredQuota, StoredUser, UserObservation, UserQuota } from '../../user-store.ts';
import { isHolding, packUnsettled, unsettledOf } from './unsettled-usage.ts';
import { fromRow, type UserRow } from './user-row.ts';

/** Where a page stands in its listing. */
export interface Sighting {
  readonly listing: Listing;
  readonly heldUntil: number;
  /** When the listing began (ms), which may have taken several runs. */
  readonly startedAt: number;
  readonly now: number;
  /** Whether all use of a user that is seen for the first time is new. */
  isNew(user: UserObservation): boolean;
}

export interface SeenUser {
  readonly user: StoredUser;
  /** As stored; see unsettled.ts. */
  readonly unsettled: string | null;
  /** What the user used since it was last seen. */
  readonly growth: Readonly<Record<MeteredType, number>>;
}

interface SeenQuota {
  readonly quota: StoredQuota;
  readonly falls: readonly Fall[];
  readonly growth: number;
}

export const seenUser = (row: UserRow | undefined, user: UserObservation, sighting: Sighting): SeenUser => {
  const before = row && fromRow(row);
  const known = unsettledOf(row?.unsettled ?? null);
  const isNew = row === undefined && sighting.isNew(user);
  const seen = (type: MeteredType): SeenQuota => {
    const use = useOf(before?.quotas[type], known.falls[type], user.quotas[type], sighting, isNew);
    const counting = known.restarts ? asStart(use) : use;
    return seenQuota(before?.quotas[type], user.quotas[type], counting, sighting);
  };
  const quotas = { residential: seen('residential'), mobile: seen('mobile') };
  const falls = { residential: quotas.residential.falls, mobile: quotas.mobile.falls };
  // A fall that is held is no starting point yet.
  const unsettled = packUnsettled({ falls, restarts: known.restarts && isHolding(falls) });
  return {
    user: { ...user, quotas: { residential: quotas.residential.quota, mobile: quotas.mobile.quota } },
    unsettled,
    growth: { residential: quotas.residential.growth, mobile: quotas.mobile.growth },
  };
};

type SeenUse = Omit<UseSeen, 'used'> & { readonly used: number | null };

/** Without an earlier use there is nothing to compare; if the use is not given, the last one stays. */
const useOf = (
  before: StoredQuota | undefined,
  falls: readonly Fall[],
  { usedBytes }: UserQuota,
  { startedAt }: Sighting,
  isNew: boolean,
): SeenUse => {
  const used = before?.usedBytes ?? null;
  if (usedBytes === null) return { used, falls, growth: 0 };
  if (used === null) return { used: usedBytes, falls, growth: isNew ? usedBytes : 0 };
  return useSeen({ used, falls }, usedBytes, startedAt);
};

/** A starting point counts nothing, so that nothing can be taken back of it either. */
const asStart = ({ used, falls }: SeenUse): SeenUse => ({
  used,
  falls: falls.map((fall) => ({ ...fall, counted: 0 })),
  growth: 0,
});

const seenQuota = (
  before: StoredQuota | undefined,
  { limitBytes }: UserQuota,
  { used, falls, growth }: SeenUse,
  { listing, heldUntil, now }: Sighting,
): SeenQuota => {
  const { usage, rates } = before ?? { usage: { net: 0, served: 0, heldUntil }, rates: newRates(now) };
  const quota = {
    limitBytes: limitBytes === undefined ? (before?.limitBytes ?? null) : limitBytes,
    usedBytes: used,
    usage: grown(usage, growth),
    rates: observe(rates, growth, listing.countedAt ?? now, now),
  };
  return { quota, falls, growth };
};
