// Describes the tables of proxy users and of their use, and converts between a user and its flat row.

import type { MeteredType } from '../../../lib/product-types.ts';
import { DAY, HOUR, SECOND } from '../../../lib/time.ts';
import type { StoredQuota, StoredUser, UserObservation, UserQuota } from '../../user-store.ts';
import { OF_ACCOUNT, ofAccount, shifted, storedAtOf, type Tables } from '../table.ts';
import {
  hasPendingChange,
  isExpired,
  type MissingSince,
  RESTARTED_USAGE,
  unpackMissingSince,
} from './missing-values.ts';

export const USER_TABLES = {
  proxy_user: {
    times: [
      ...['residential_rated_since', 'residential_rated_at', 'mobile_rated_since', 'mobile_rated_at'],
      'removed_since',
    ],
    heldBy: storedAtOf("'proxy_users'", 'proxy_user.account_id'),
    reset: `UPDATE proxy_user SET residential_net = 0, residential_served = 0, mobile_net = 0, mobile_served = 0,
      held_until = @heldUntil, unsettled_usage = '${RESTARTED_USAGE}'`,
    highest: 'SELECT coalesce(max(rowid), 0) FROM main.proxy_user',
    move: ofAccount({ rowid: shifted('rowid', 'proxy_user') }),
  },
  proxy_user_details: {
    move: {
      where: `user IN (SELECT rowid FROM source.proxy_user WHERE ${OF_ACCOUNT})`,
      columns: { user: shifted('user', 'proxy_user') },
    },
  },
  user_usage: { move: ofAccount() },
  user_use_mark: {
    times: [
      ...['residential_missing_since', 'residential_missing_until'],
      ...['mobile_missing_since', 'mobile_missing_until'],
    ],
    reset: 'UPDATE user_use_mark SET residential_net = 0, mobile_net = 0',
    highest: `SELECT coalesce(max(mark), 0) FROM (SELECT id AS mark FROM main.user_use_mark
      UNION ALL SELECT mark FROM main.user_use)`,
    move: ofAccount({ id: shifted('id', 'user_use_mark'), user: shifted('user', 'proxy_user') }),
  },
  user_use: { move: ofAccount({ mark: shifted('mark', 'user_use_mark') }) },
  user_use_day: { times: ['since', 'until'], move: ofAccount() },
} as const satisfies Tables;

/** Rates are stored in bytes per hour, day and week, because SQLite stores whole numbers in half the space. */
const HOUR_S = HOUR / SECOND;
const DAY_S = DAY / SECOND;
const WEEK_S = 7 * DAY_S;

/** By column, after the name of the type, what is stored of a quota. */
const QUOTA = {
  limit: ({ limitBytes }: StoredQuota) => limitBytes,
  used: ({ usedBytes }: StoredQuota) => usedBytes,
  net: ({ usage }: StoredQuota) => usage.net,
  served: ({ usage }: StoredQuota) => usage.served,
  rated_since: ({ rates }: StoredQuota) => rates.since,
  rated_at: ({ rates }: StoredQuota) => rates.at,
  hour_rate: ({ rates }: StoredQuota) => Math.round(rates.hour * HOUR_S),
  day_rate: ({ rates }: StoredQuota) => Math.round(rates.day * DAY_S),
  week_rate: ({ rates }: StoredQuota) => Math.round(rates.week * WEEK_S),
  slot_bytes: ({ rates }: StoredQuota) => (rates.slotBytes === null ? null : Math.round(rates.slotBytes)),
  profile: ({ rates }: StoredQuota) => rates.profile,
} as const;
type QuotaName = keyof typeof QUOTA;
type QuotaValues<T extends MeteredType> = {
  readonly [N in QuotaName as `${T}_${N}`]: ReturnType<(typeof QUOTA)[N]>;
};

const QUOTA_VALUES = Object.values(QUOTA);
const columnsOf = <T extends MeteredType>(type: T) =>
  (Object.keys(QUOTA) as QuotaName[]).map((name) => `${type}_${name}` as const);
/** The columns of a user's quota, in the order of `addQuotaValues`. */
export const QUOTA_COLUMNS = { residential: columnsOf('residential'), mobile: columnsOf('mobile') };

interface Settings {
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
}
export type UserRow = Settings & QuotaValues<'residential'> & QuotaValues<'mobile'>;

/** The columns besides `account_id` and `id`, in the order of `toValues`. */
export const VALUE_COLUMNS: readonly (keyof UserRow)[] = [
  ...(['access_type', 'is_default', 'is_deleted', 'strict_security', 'enforce_https', 'held_until'] as const),
  ...(['missed_listings', 'removed_since', 'expired_values', 'unsettled_usage'] as const),
  ...QUOTA_COLUMNS.residential,
  ...QUOTA_COLUMNS.mobile,
];

/** Each column is named here, because reading computed names takes a third longer. */
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
  const unlessExpired = ([value, since]: [string, number]) => [
    value,
    isExpired(since, countedStartedAt) ? null : row[value as keyof MissingSince],
  ];
  return fromRow({
    ...row,
    ...Object.fromEntries(Object.entries(unpackMissingSince(row)).map(unlessExpired)),
  });
};

/** Returns whether an observation changes nothing in the row. A poll finds most users unchanged. */
export const isUnchanged = (row: UserRow, user: UserObservation, expiredValues: string | null): boolean =>
  row.expired_values === expiredValues &&
  !hasPendingChange(row.unsettled_usage) &&
  isQuotaUnchanged(user.quotas.residential, row.residential_used, row.residential_limit) &&
  isQuotaUnchanged(user.quotas.mobile, row.mobile_used, row.mobile_limit) &&
  isSettingUnchanged(row, user);

/** Values that are not given stay. */
const isQuotaUnchanged = (
  { usedBytes, limitBytes }: UserQuota,
  used: number | null,
  limit: number | null,
): boolean => used === (usedBytes ?? used) && limit === (limitBytes === undefined ? limit : limitBytes);

/** Returns whether an observation changes nothing in the row except quotas. */
export const isSettingUnchanged = (row: UserRow, user: UserObservation): boolean =>
  row.missed_listings === 0 &&
  row.access_type === user.accessType &&
  row.is_default === Number(user.isDefault) &&
  row.is_deleted === Number(user.isDeleted) &&
  row.strict_security === Number(user.strictSecurity) &&
  row.enforce_https === Number(user.enforceHttps);

/** Returns the values of `VALUE_COLUMNS`. An observed user is not missing or removed, whatever its row said before. */
export const toValues = (
  user: StoredUser,
  packed: Pick<UserRow, 'expired_values' | 'unsettled_usage'>,
): unknown[] => {
  const { residential, mobile } = user.quotas;
  const values = [
    ...[user.accessType, Number(user.isDefault), Number(user.isDeleted), Number(user.strictSecurity)],
    ...[Number(user.enforceHttps), residential.usage.heldUntil, 0, null],
    ...[packed.expired_values, packed.unsettled_usage],
  ];
  addQuotaValues(values, residential);
  addQuotaValues(values, mobile);
  return values;
};

/** Adds the values of `QUOTA_COLUMNS`. */
export const addQuotaValues = (values: unknown[], quota: StoredQuota): void => {
  for (const select of QUOTA_VALUES) values.push(select(quota));
};
