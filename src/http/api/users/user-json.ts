// Defines the JSON of proxy users and their quotas.

import { z } from 'zod';
import {
  forecastTime,
  QUOTA_STATES,
  type QuotaRule,
  type QuotaState,
  quotaStatusOf,
} from '../../../collectors/proxy-users/quota-status.ts';
import type { Rise } from '../../../collectors/proxy-users/rise.ts';
import type { UserTimes } from '../../../collectors/proxy-users/user-times.ts';
import { METERED_TYPES } from '../../../lib/product-types.ts';
import { MAX_CLIENTS, type UserClients } from '../../../store/request-log-store.ts';
import type { StoredQuota, StoredUser, UserDetails } from '../../../store/user-store.ts';
import { forecast, forecastJson, forecastTimes } from '../forecast.ts';
import { account, accountItemOf, count, flag, orNull, ratio, rfc3339, text } from '../item.ts';

export const quota = z
  .strictObject({
    state: z
      .enum(QUOTA_STATES)
      .nullable()
      .describe(
        '`low`: less than a tenth of the limit is left. `soon`: the forecast is within 3 days. The thresholds of the alerts change both states. Null if the state is unknown',
      ),
    limit_bytes: orNull.count.describe('Null if the user has no limit, or if the limit is unknown'),
    used_bytes: orNull.count.describe('Used bytes since the provider’s last reset'),
    left_bytes: orNull.count,
    used_ratio: orNull.ratio.describe(
      'Used bytes divided by the limit. The ratio is above 1 if the user used more than the limit',
    ),
    ...forecastTimes,
    forecast: forecast.nullable(),
  })
  .meta({ id: 'Quota' });

export const summary = z.strictObject({
  data: z.array(
    z.strictObject({
      account,
      product_type: z.enum(METERED_TYPES),
      users: orNull.count.describe(
        'Number of users that are not deleted. Null until proxywatch has read all users once',
      ),
      states: z
        .strictObject({
          ...(Object.fromEntries(QUOTA_STATES.map((state) => [state, count])) as Record<
            QuotaState,
            typeof count
          >),
          unknown: count.describe('Number of users with an unknown limit or unknown use'),
        })
        .nullable()
        .describe('Number of users in each state. Null until proxywatch has read all users once'),
    }),
  ),
});

/** A user with what is needed to judge its quotas as of the newest complete listing, and the details that the provider gave. */
export interface ListedUser
  extends StoredUser,
    Partial<UserTimes>,
    Partial<Omit<UserDetails, keyof UserTimes>> {
  readonly rule: QuotaRule;
  readonly listedAt: number | null;
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
    ...forecastJson(quota.rates, leftBytes ?? 0, exhaustedAt, listedAt && forecastTime(listedAt), listedAt),
    ...(leftBytes === undefined && { forecast: null }),
  };
};

export const { schema: user, json: userJson } = accountItemOf<ListedUser>()('ProxyUser', (from) => ({
  proxy_user_id: from(text, 'id'),
  access_type: from(orNull.text, ({ accessType }) => accessType || null),
  is_default: flag,
  is_deleted: flag,
  strict_security: flag,
  enforce_https: flag,
  created_at: orNull.time,
  updated_at: orNull.time.describe('Time by the provider’s clock'),
  ip_address_authentications: from(
    orNull.count.describe('Number of addresses that authenticate the user'),
    'addresses',
  ),
  ip_address_authentication_limit: from(orNull.count, 'addressLimit'),
  restricted_proxies: orNull.count.describe('Number of proxies that the user is restricted to'),
  restricted_services: orNull.count.describe('Number of services that the user is restricted to'),
  quotas: from(z.strictObject({ residential: quota, mobile: quota }), (user) => ({
    residential: quotaJson(user.quotas.residential, user),
    mobile: quotaJson(user.quotas.mobile, user),
  })),
}));

const clientAddresses = z.strictObject({
  seen: count.describe(
    `Addresses that used the login. At most ${MAX_CLIENTS} unknown and ${MAX_CLIENTS} other ones are counted`,
  ),
  unknown: orNull.count.describe(
    'Those that are neither in `allow` nor in the list of the user. Null if none was seen, but not all requests were read or could be compared',
  ),
  unknown_since: orNull.time.describe('First request from one of them that was read'),
  unknown_networks: z.array(text).describe('With `store_networks`'),
});

const rise = z
  .strictObject({
    ratio: ratio.describe('Use of the last day divided by that of the last week'),
    causes: z.array(text).describe('Empty if no cause is known'),
  })
  .nullable();

export const userDetails = user
  .extend({
    client_addresses: clientAddresses
      .nullable()
      .describe(
        'Of the newest 24 counted hours. Null if none was seen, or `request_log.client_addresses` is off',
      ),
    rise: z
      .strictObject({ residential: rise, mobile: rise })
      .describe('Null if the user did not begin to use more'),
  })
  .meta({ id: 'ProxyUserDetails' });

export const clientsJson = ({ clients, unknown, firstAt, networks }: UserClients) => ({
  ...{ seen: clients, unknown, unknown_since: rfc3339(firstAt), unknown_networks: [...networks] },
});

export const riseJson = (found: Rise | undefined): z.output<typeof rise> =>
  found ? { ratio: found.ratio, causes: [...found.causes] } : null;
