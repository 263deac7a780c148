// A proxy user's row, flat, and the user it stands for.

import { DAY, HOUR, SECOND } from '../../../lib/time.ts';
import type { StoredQuota, StoredUser, UserObservation } from '../../user-store.ts';
import { isLapsed, type Lapses, lapsesOf } from './expired-values.ts';
import { isWaiting } from './unsettled-usage.ts';

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
  'lapses',
  'unsettled',
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
  readonly lapses: string | null;
  readonly unsettled: string | null;
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

/** The user without values that had lapsed when the newest listing that counts began, at `countedStartedAt` (ms). */
export const shownFromRow = (row: UserRow, countedStartedAt: number | null): StoredUser => {
  if (row.lapses === null) return fromRow(row);
  const lapses = lapsesOf(row);
  const unlessLapsed = (value: keyof Lapses): number | null =>
    isLapsed(lapses[value], countedStartedAt) ? null : row[value];
  return fromRow({
    ...row,
    residential_limit: unlessLapsed('residential_limit'),
    residential_used: unlessLapsed('residential_used'),
    mobile_limit: unlessLapsed('mobile_limit'),
    mobile_used: unlessLapsed('mobile_used'),
  });
};

/** Whether a sighting brings nothing that the row does not say: a poll finds most users as they were. */
export const isAsSeen = (row: UserRow, user: UserObservation, lapses: string | null): boolean => {
  const { residential, mobile } = user.quotas;
  return (
    row.missed === 0 &&
    row.lapses === lapses &&
    !isWaiting(row.unsettled) &&
    row.residential_used === (residential.usedBytes ?? row.residential_used) &&
    row.residential_limit === unlessUndefined(residential.limitBytes, row.residential_limit) &&
    row.mobile_used === (mobile.usedBytes ?? row.mobile_used) &&
    row.mobile_limit === unlessUndefined(mobile.limitBytes, row.mobile_limit) &&
    row.access_type === user.accessType &&
    row.is_default === Number(user.isDefault) &&
    row.is_deleted === Number(user.isDeleted) &&
    row.strict_security === Number(user.strictSecurity) &&
    row.enforce_https === Number(user.enforceHttps)
  );
};

const unlessUndefined = (given: number | null | undefined, known: number | null): number | null =>
  given === undefined ? known : given;

/** The values of VALUE_COLUMNS. A seen user is there again, however often it was missed before. */
export const toValues = (
  user: StoredUser,
  { lapses, unsettled }: Pick<UserRow, 'lapses' | 'unsettled'>,
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
    lapses,
    unsettled,
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
};
