// Converts between a proxy user and its flat row.

import type { MeteredType } from '../../../lib/product-types.ts';
import { DAY, HOUR, SECOND } from '../../../lib/time.ts';
import type { StoredQuota, StoredUser, UserObservation } from '../../user-store.ts';
import { isExpired, type MissingSince, unpackMissingSince } from './expired-values.ts';
import { hasPendingChange } from './unsettled-usage.ts';

/** Rates are stored in bytes per hour, day and week, because SQLite stores whole numbers in half the space. */
const HOUR_S = HOUR / SECOND;
const DAY_S = DAY / SECOND;
const WEEK_S = 7 * DAY_S;

const QUOTA_NAMES = [
  'limit',
  'used',
  'net',
  'served',
  'rated_since',
  'rated_at',
  'hour_rate',
  'day_rate',
  'week_rate',
  'slot_bytes',
  'profile',
] as const;

const columnsOf = (type: MeteredType) => QUOTA_NAMES.map((name) => `${type}_${name}` as const);

/** The columns of a user's quota, in the order of `addQuotaValues`. */
export const QUOTA_COLUMNS = { residential: columnsOf('residential'), mobile: columnsOf('mobile') };

/** The columns besides `account_id` and `id`, in the order of `toValues`. */
export const VALUE_COLUMNS = [
  'access_type',
  'is_default',
  'is_deleted',
  'strict_security',
  'enforce_https',
  'held_until',
  'missed_listings',
  'removed_since',
  'expired_values',
  'unsettled_usage',
  ...QUOTA_COLUMNS.residential,
  ...QUOTA_COLUMNS.mobile,
] as const;

export interface UserRow {
  readonly id: string;
  readonly access_type: string;
  readonly is_default: number;
  readonly is_deleted: number;
  readonly strict_security: number;
  readonly enforce_https: number;
  readonly held_until: number;
  readonly missed_listings: number;
  readonly removed_since: number | null;
  readonly expired_values: string | null;
  readonly unsettled_usage: string | null;
  readonly residential_limit: number | null;
  readonly residential_used: number | null;
  readonly residential_net: number;
  readonly residential_served: number;
  readonly residential_rated_since: number;
  readonly residential_rated_at: number;
  readonly residential_hour_rate: number;
  readonly residential_day_rate: number;
  readonly residential_week_rate: number;
  readonly residential_slot_bytes: number | null;
  readonly residential_profile: Uint8Array | null;
  readonly mobile_limit: number | null;
  readonly mobile_used: number | null;
  readonly mobile_net: number;
  readonly mobile_served: number;
  readonly mobile_rated_since: number;
  readonly mobile_rated_at: number;
  readonly mobile_hour_rate: number;
  readonly mobile_day_rate: number;
  readonly mobile_week_rate: number;
  readonly mobile_slot_bytes: number | null;
  readonly mobile_profile: Uint8Array | null;
}

export const fromRow = (row: UserRow): StoredUser => ({
  id: row.id,
  accessType: row.access_type,
  isDefault: row.is_default === 1,
  isDeleted: row.is_deleted === 1,
  strictSecurity: row.strict_security === 1,
  enforceHttps: row.enforce_https === 1,
  quotas: {
    residential: {
      limitBytes: row.residential_limit,
      usedBytes: row.residential_used,
      usage: { net: row.residential_net, served: row.residential_served, heldUntil: row.held_until },
      rates: {
        since: row.residential_rated_since,
        at: row.residential_rated_at,
        hour: row.residential_hour_rate / HOUR_S,
        day: row.residential_day_rate / DAY_S,
        week: row.residential_week_rate / WEEK_S,
        slotBytes: row.residential_slot_bytes,
        profile: row.residential_profile,
      },
    },
    mobile: {
      limitBytes: row.mobile_limit,
      usedBytes: row.mobile_used,
      usage: { net: row.mobile_net, served: row.mobile_served, heldUntil: row.held_until },
      rates: {
        since: row.mobile_rated_since,
        at: row.mobile_rated_at,
        hour: row.mobile_hour_rate / HOUR_S,
        day: row.mobile_day_rate / DAY_S,
        week: row.mobile_week_rate / WEEK_S,
        slotBytes: row.mobile_slot_bytes,
        profile: row.mobile_profile,
      },
    },
  },
});

/** Returns the user without values that had expired when the newest counted listing began (`countedStartedAt`, ms). */
export const withoutExpired = (row: UserRow, countedStartedAt: number | null): StoredUser => {
  if (row.expired_values === null) return fromRow(row);
  const missingSince = unpackMissingSince(row);
  const unlessExpired = (value: keyof MissingSince): number | null =>
    isExpired(missingSince[value], countedStartedAt) ? null : row[value];
  return fromRow({
    ...row,
    residential_limit: unlessExpired('residential_limit'),
    residential_used: unlessExpired('residential_used'),
    mobile_limit: unlessExpired('mobile_limit'),
    mobile_used: unlessExpired('mobile_used'),
  });
};

/** Returns whether an observation changes nothing in the row. A poll finds most users unchanged. */
export const isUnchanged = (row: UserRow, user: UserObservation, expiredValues: string | null): boolean => {
  const { residential, mobile } = user.quotas;
  return (
    row.expired_values === expiredValues &&
    !hasPendingChange(row.unsettled_usage) &&
    row.residential_used === (residential.usedBytes ?? row.residential_used) &&
    row.residential_limit === givenOrKnown(residential.limitBytes, row.residential_limit) &&
    row.mobile_used === (mobile.usedBytes ?? row.mobile_used) &&
    row.mobile_limit === givenOrKnown(mobile.limitBytes, row.mobile_limit) &&
    isSettingUnchanged(row, user)
  );
};

/** Returns whether an observation changes nothing in the row except quotas. */
export const isSettingUnchanged = (row: UserRow, user: UserObservation): boolean =>
  row.missed_listings === 0 &&
  row.access_type === user.accessType &&
  row.is_default === Number(user.isDefault) &&
  row.is_deleted === Number(user.isDeleted) &&
  row.strict_security === Number(user.strictSecurity) &&
  row.enforce_https === Number(user.enforceHttps);

const givenOrKnown = (given: number | null | undefined, known: number | null): number | null =>
  given === undefined ? known : given;

/** Returns the values of `VALUE_COLUMNS`. An observed user is not missing or removed, whatever its row said before. */
export const toValues = (
  user: StoredUser,
  packed: Pick<UserRow, 'expired_values' | 'unsettled_usage'>,
): unknown[] => {
  const { residential, mobile } = user.quotas;
  const values = [
    user.accessType,
    Number(user.isDefault),
    Number(user.isDeleted),
    Number(user.strictSecurity),
    Number(user.enforceHttps),
    residential.usage.heldUntil,
    0,
    null,
    packed.expired_values,
    packed.unsettled_usage,
  ];
  addQuotaValues(values, residential);
  addQuotaValues(values, mobile);
  return values;
};

/** Adds the values of `QUOTA_COLUMNS`. */
export const addQuotaValues = (values: unknown[], quota: StoredQuota): void => {
  const { usage, rates } = quota;
  values.push(quota.limitBytes, quota.usedBytes, usage.net, usage.served, rates.since, rates.at);
  values.push(
    Math.round(rates.hour * HOUR_S),
    Math.round(rates.day * DAY_S),
    Math.round(rates.week * WEEK_S),
  );
  values.push(rates.slotBytes === null ? null : Math.round(rates.slotBytes), rates.profile);
};
