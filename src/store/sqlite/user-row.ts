// A proxy user's row, flat, and the user it stands for.

import type { Rates } from '../../lib/forecast.ts';
import type { StoredQuota, StoredUser, UserSighting } from '../user-store.ts';

export const USER_COLUMNS = [
  'id',
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
  'residential_rates',
  'mobile_limit',
  'mobile_used',
  'mobile_net',
  'mobile_served',
  'mobile_rates',
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
  readonly residential_rates: string;
  readonly mobile_limit: number | null;
  readonly mobile_used: number | null;
  readonly mobile_net: number;
  readonly mobile_served: number;
  readonly mobile_rates: string;
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
      rates: ratesFrom(row.residential_rates),
    },
    mobile: {
      limitBytes: row.mobile_limit,
      usedBytes: row.mobile_used,
      usage: { net: row.mobile_net, served: row.mobile_served, heldUntil: row.held_until },
      rates: ratesFrom(row.mobile_rates),
    },
  },
});

/** Whether a sighting brings nothing that the row does not say: a poll finds most users as they were. */
export const isAsSeen = (row: UserRow, { quotas: { residential, mobile }, ...user }: UserSighting): boolean =>
  row.missed === 0 &&
  row.residential_used === (residential.usedBytes ?? row.residential_used) &&
  row.residential_limit === residential.limitBytes &&
  row.mobile_used === (mobile.usedBytes ?? row.mobile_used) &&
  row.mobile_limit === mobile.limitBytes &&
  row.access_type === user.accessType &&
  row.is_default === Number(user.isDefault) &&
  row.is_deleted === Number(user.isDeleted) &&
  row.strict_security === Number(user.strictSecurity) &&
  row.enforce_https === Number(user.enforceHttps);

/** A seen user is there again, however often it was missed before. */
export const toRow = ({ id, quotas: { residential, mobile }, ...user }: StoredUser): UserRow => ({
  id,
  access_type: user.accessType,
  is_default: Number(user.isDefault),
  is_deleted: Number(user.isDeleted),
  strict_security: Number(user.strictSecurity),
  enforce_https: Number(user.enforceHttps),
  held_until: residential.usage.heldUntil,
  missed: 0,
  gone_since: null,
  residential_limit: residential.limitBytes,
  residential_used: residential.usedBytes,
  residential_net: residential.usage.net,
  residential_served: residential.usage.served,
  residential_rates: ratesText(residential),
  mobile_limit: mobile.limitBytes,
  mobile_used: mobile.usedBytes,
  mobile_net: mobile.usage.net,
  mobile_served: mobile.usage.served,
  mobile_rates: ratesText(mobile),
});

/** Seven digits of a rate say enough, and keep the row off overflow pages. */
const ratesText = ({ rates: { since, at, hour, day, week } }: StoredQuota): string =>
  [since, at, ...[hour, day, week].map((rate) => Number(rate.toPrecision(7)))].join(' ');

const ratesFrom = (text: string): Rates => {
  const [since = 0, at = 0, hour = 0, day = 0, week = 0] = text.split(' ').map(Number);
  return { since, at, hour, day, week };
};
