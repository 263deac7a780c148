// A proxy user's row, flat, and the user it stands for.

import { DAY, HOUR, SECOND } from '../../lib/time.ts';
import type { Listing } from '../listing.ts';
import type { StoredQuota, StoredUser, UserSighting } from '../user-store.ts';
import { hasBegun, unlessLapsed } from './lapse.ts';

/** Rates are kept in bytes an hour, a day and a week: SQLite keeps whole numbers in half the room. */
const HOUR_S = HOUR / SECOND;
const DAY_S = DAY / SECOND;
const WEEK_S = 7 * DAY_S;

/** Beside `account_id` and `id`. */
export const VALUE_COLUMNS = [
  'access_type',
  'is_default',
  'is_deleted',
  'strict_security',
  'enforce_https',
  'held_until',
  'missed',
  'gone_since',
  'residential_limit',
  'residential_used',
  'residential_net',
  'residential_served',
  'residential_rated_since',
  'residential_rated_at',
  'residential_hour_rate',
  'residential_day_rate',
  'residential_week_rate',
  'residential_slot_bytes',
  'residential_profile',
  'residential_limit_lapsed_at',
  'residential_used_lapsed_at',
  'mobile_limit',
  'mobile_used',
  'mobile_net',
  'mobile_served',
  'mobile_rated_since',
  'mobile_rated_at',
  'mobile_hour_rate',
  'mobile_day_rate',
  'mobile_week_rate',
  'mobile_slot_bytes',
  'mobile_profile',
  'mobile_limit_lapsed_at',
  'mobile_used_lapsed_at',
] as const;

export interface UserRow {
  readonly id: string;
  readonly access_type: string;
  readonly is_default: number;
  readonly is_deleted: number;
  readonly strict_security: number;
  readonly enforce_https: number;
  readonly held_until: number;
  readonly missed: number;
  readonly gone_since: number | null;
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
  readonly residential_limit_lapsed_at: number | null;
  readonly residential_used_lapsed_at: number | null;
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
  readonly mobile_limit_lapsed_at: number | null;
  readonly mobile_used_lapsed_at: number | null;
}

/** The user without values that had lapsed when a complete listing began at `completeStartedAt` (ms); with null all. */
export const fromRow = (row: UserRow, completeStartedAt: number | null): StoredUser => ({
  id: row.id,
  accessType: row.access_type,
  isDefault: row.is_default === 1,
  isDeleted: row.is_deleted === 1,
  strictSecurity: row.strict_security === 1,
  enforceHttps: row.enforce_https === 1,
  quotas: {
    residential: {
      limitBytes: unlessLapsed(row.residential_limit, row.residential_limit_lapsed_at, completeStartedAt),
      usedBytes: unlessLapsed(row.residential_used, row.residential_used_lapsed_at, completeStartedAt),
      limitLapsedAt: row.residential_limit_lapsed_at,
      usedLapsedAt: row.residential_used_lapsed_at,
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
      limitBytes: unlessLapsed(row.mobile_limit, row.mobile_limit_lapsed_at, completeStartedAt),
      usedBytes: unlessLapsed(row.mobile_used, row.mobile_used_lapsed_at, completeStartedAt),
      limitLapsedAt: row.mobile_limit_lapsed_at,
      usedLapsedAt: row.mobile_used_lapsed_at,
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

/** Whether a sighting brings nothing that the row does not say: a poll finds most users as they were. */
export const isAsSeen = (row: UserRow, user: UserSighting, { completeStartedAt }: Listing): boolean => {
  const { residential, mobile } = user.quotas;
  const isKept = (known: number | null, given: number | null | undefined, lapse: number | null): boolean =>
    given === undefined
      ? known === null || hasBegun(lapse, completeStartedAt)
      : known === given && lapse === null;
  return (
    row.missed === 0 &&
    isKept(row.residential_used, residential.usedBytes ?? undefined, row.residential_used_lapsed_at) &&
    isKept(row.residential_limit, residential.limitBytes, row.residential_limit_lapsed_at) &&
    isKept(row.mobile_used, mobile.usedBytes ?? undefined, row.mobile_used_lapsed_at) &&
    isKept(row.mobile_limit, mobile.limitBytes, row.mobile_limit_lapsed_at) &&
    row.access_type === user.accessType &&
    row.is_default === Number(user.isDefault) &&
    row.is_deleted === Number(user.isDeleted) &&
    row.strict_security === Number(user.strictSecurity) &&
    row.enforce_https === Number(user.enforceHttps)
  );
};

/** The values of VALUE_COLUMNS. A seen user is there again, however often it was missed before. */
export const toValues = (user: StoredUser): unknown[] => {
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
  ];
  addQuota(values, residential);
  addQuota(values, mobile);
  return values;
};

const addQuota = (values: unknown[], quota: StoredQuota): void => {
  const { usage, rates } = quota;
  values.push(quota.limitBytes, quota.usedBytes, usage.net, usage.served, rates.since, rates.at);
  values.push(
    Math.round(rates.hour * HOUR_S),
    Math.round(rates.day * DAY_S),
    Math.round(rates.week * WEEK_S),
  );
  values.push(rates.slotBytes === null ? null : Math.round(rates.slotBytes), rates.profile);
  values.push(quota.limitLapsedAt, quota.usedLapsedAt);
};
