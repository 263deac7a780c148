// Computes the new state of a user from its row, its observation and the progress of the listing, without side effects.

import { newRates, observe } from '../../../lib/forecast.ts';
import { METERED_TYPES, type MeteredType } from '../../../lib/product-types.ts';
import { withGrowth } from '../../counter.ts';
import type { Listing } from '../../listing.ts';
import { type Fall, type ObservedUsage, observeUsage } from '../../usage.ts';
import type { StoredQuota, StoredUser, UserObservation, UserQuota } from '../../user-store.ts';
import { hasHeldFall, packUnsettledUsage, unpackUnsettledUsage } from './missing-values.ts';
import { fromRow, type UserRow } from './user-row.ts';

export interface ObservationContext {
  readonly listing: Listing;
  readonly heldUntil: number;
  /** When the listing began (ms). A listing may take several runs. */
  readonly startedAt: number;
  readonly now: number;
  /** Whether all use of a newly observed user counts. */
  isNew(user: UserObservation): boolean;
}

export interface ObservedUser {
  readonly user: StoredUser;
  /** The packed value that is stored; see unsettled-usage.ts. */
  readonly unsettledUsage: string | null;
  /** The types whose quota differs from that of the row. */
  readonly changedTypes: readonly MeteredType[];
  /** The bytes that the user used since its last observation. */
  readonly growth: Readonly<Record<MeteredType, number>>;
}

interface ObservedQuota {
  readonly quota: StoredQuota;
  readonly falls: readonly Fall[];
  readonly growth: number;
}

export const applyObservation = (
  row: UserRow | undefined,
  user: UserObservation,
  context: ObservationContext,
): ObservedUser => {
  const before = row && fromRow(row);
  const known = unpackUnsettledUsage(row?.unsettled_usage ?? null);
  const isNew = row === undefined && context.isNew(user);
  const applyTo = (type: MeteredType): ObservedQuota => {
    const use = applyToUsage(before?.quotas[type], known.falls[type], user.quotas[type], context, isNew);
    const countedUse = known.restarts ? asStartingPoint(use) : use;
    return applyToQuota(before?.quotas[type], user.quotas[type], countedUse, context);
  };
  const quotas = { residential: applyTo('residential'), mobile: applyTo('mobile') };
  const falls = { residential: quotas.residential.falls, mobile: quotas.mobile.falls };
  // A fall that is still held is not a starting point yet.
  const unsettledUsage = packUnsettledUsage({ falls, restarts: known.restarts && hasHeldFall(falls) });
  return {
    user: { ...user, quotas: { residential: quotas.residential.quota, mobile: quotas.mobile.quota } },
    unsettledUsage,
    changedTypes: METERED_TYPES.filter((type) => isChanged(before?.quotas[type], quotas[type])),
    growth: { residential: quotas.residential.growth, mobile: quotas.mobile.growth },
  };
};

type QuotaUsage = Omit<ObservedUsage, 'used'> & { readonly used: number | null };

/** Without an earlier use there is nothing to compare. If the use is not given, the last one stays. */
const applyToUsage = (
  before: StoredQuota | undefined,
  falls: readonly Fall[],
  { usedBytes }: UserQuota,
  { startedAt }: ObservationContext,
  isNew: boolean,
): QuotaUsage => {
  const used = before?.usedBytes ?? null;
  if (usedBytes === null) return { used, falls, growth: 0 };
  if (used === null) return { used: usedBytes, falls, growth: isNew ? usedBytes : 0 };
  return observeUsage({ used, falls }, usedBytes, startedAt);
};

/** A starting point counts nothing, so nothing of it may be taken back later. */
const asStartingPoint = ({ used, falls }: QuotaUsage): QuotaUsage => ({
  used,
  falls: falls.map((fall) => ({ ...fall, counted: 0 })),
  growth: 0,
});

const applyToQuota = (
  before: StoredQuota | undefined,
  { limitBytes }: UserQuota,
  { used, falls, growth }: QuotaUsage,
  { listing, heldUntil, now }: ObservationContext,
): ObservedQuota => {
  const { usage, rates } = before ?? { usage: { net: 0, served: 0, heldUntil }, rates: newRates(now) };
  const quota = {
    limitBytes: limitBytes === undefined ? (before?.limitBytes ?? null) : limitBytes,
    usedBytes: used,
    usage: withGrowth(usage, growth),
    rates: observe(rates, growth, listing.countedAt ?? now, now),
  };
  return { quota, falls, growth };
};

/** Without growth, the usage and the rates are the same. */
const isChanged = (before: StoredQuota | undefined, { quota, growth }: ObservedQuota): boolean =>
  growth !== 0 || before?.limitBytes !== quota.limitBytes || before.usedBytes !== quota.usedBytes;
