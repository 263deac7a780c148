// Defines the JSON of proxy users and their quotas.

import { z } from 'zod';
import {
  QUOTA_STATES,
  type QuotaRule,
  type QuotaState,
  quotaStatusOf,
} from '../../../collectors/proxy-users/quota-status.ts';
import { userTimesOf } from '../../../collectors/proxy-users/user-times.ts';
import { METERED_TYPES } from '../../../lib/product-types.ts';
import type { StoredQuota, StoredUser, UserDetails } from '../../../store/user-store.ts';
import { rfc3339 } from '../../rfc3339.ts';
import { account, count, flag, ratio, text, time } from '../fields.ts';
import { forecast, forecastOf } from '../forecast.ts';

export const quota = z
  .strictObject({
    state: z
      .enum(QUOTA_STATES)
      .nullable()
      .describe(
        '`low`: less than a tenth of the limit is left; `soon`: used up within 3 days. The thresholds of the alerts change both. Null if unknown',
      ),
    limit_bytes: count.nullable().describe('Null if there is no limit, or if it is unknown'),
    used_bytes: count.nullable().describe('Since the provider’s last reset'),
    left_bytes: count.nullable(),
    used_ratio: ratio.nullable().describe('Share of the limit that is used; above 1 if more was used'),
    exhausted_at: time.nullable().describe('Forecast; `forecast` says why it is null'),
    forecast: forecast.nullable(),
  })
  .meta({ id: 'Quota' });

export const user = z
  .strictObject({
    account,
    proxy_user_id: text,
    access_type: text.nullable(),
    is_default: flag,
    is_deleted: flag,
    strict_security: flag,
    enforce_https: flag,
    created_at: time.nullable(),
    updated_at: time.nullable().describe('By the provider’s clock'),
    ip_address_authentications: count.nullable().describe('Number of addresses that authenticate the user'),
    ip_address_authentication_limit: count.nullable(),
    restricted_proxies: count.nullable().describe('Number of proxies that the user is restricted to'),
    restricted_services: count.nullable().describe('Number of services that the user is restricted to'),
    quotas: z.strictObject({ residential: quota, mobile: quota }),
  })
  .meta({ id: 'ProxyUser' });

export const summary = z.strictObject({
  data: z.array(
    z.strictObject({
      account,
      product_type: z.enum(METERED_TYPES),
      users: count
        .nullable()
        .describe('Users that are not deleted; null until all users have been read once'),
      states: z
        .strictObject({
          ...(Object.fromEntries(QUOTA_STATES.map((state) => [state, count])) as Record<
            QuotaState,
            typeof count
          >),
          unknown: count.describe('Users whose limit or use is unknown'),
        })
        .nullable()
        .describe('Number of users in each state; null until all users have been read once'),
    }),
  ),
});

/** A user with what is needed to judge its quotas as of the newest complete listing. */
export interface ListedUser extends StoredUser {
  readonly rule: QuotaRule;
  readonly listedAt: number | null;
  /** Undefined if the provider gave none. */
  readonly details: UserDetails | undefined;
  /** Zone of the provider's datetimes. */
  readonly zone: string;
}

const quotaJson = (quota: StoredQuota, { rule, listedAt }: ListedUser) => {
  const { state, leftBytes, exhaustedAt } = quotaStatusOf(quota, rule, listedAt);
  const { limitBytes, usedBytes } = quota;
  return {
    state: state ?? null,
    limit_bytes: limitBytes,
    used_bytes: usedBytes,
    left_bytes: leftBytes ?? null,
    used_ratio: limitBytes && usedBytes !== null ? Math.max(0, usedBytes) / limitBytes : null,
    exhausted_at: exhaustedAt === undefined ? null : rfc3339(Math.round(exhaustedAt)),
    forecast: leftBytes === undefined ? null : forecastOf(quota.rates, leftBytes, exhaustedAt, listedAt),
  };
};

const detailsJson = ({ details, zone }: ListedUser) => {
  const times = details && userTimesOf(details, zone);
  return {
    created_at: rfc3339(times?.createdAt ?? null),
    updated_at: rfc3339(times?.updatedAt ?? null),
    ip_address_authentications: details?.addresses ?? null,
    ip_address_authentication_limit: details?.addressLimit ?? null,
    restricted_proxies: details?.restrictedProxies ?? null,
    restricted_services: details?.restrictedServices ?? null,
  };
};

export const userJson = (account: string, user: ListedUser) => ({
  account,
  proxy_user_id: user.id,
  access_type: user.accessType || null,
  is_default: user.isDefault,
  is_deleted: user.isDeleted,
  strict_security: user.strictSecurity,
  enforce_https: user.enforceHttps,
  ...detailsJson(user),
  quotas: {
    residential: quotaJson(user.quotas.residential, user),
    mobile: quotaJson(user.quotas.mobile, user),
  },
});
