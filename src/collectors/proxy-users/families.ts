// Defines the metric families of proxy users.

import { counter, gauge } from '../../lib/family.ts';

const SOURCE = 'polled from proxy_user/search.';
const QUOTA = ['proxy_user_id', 'product_type'] as const;

export const userFamilies = {
  info: gauge(
    'proxywatch_proxy_user_info',
    `Settings of the proxy user at the provider, in labels, ${SOURCE} The value is always 1.`,
    ['proxy_user_id', 'access_type', 'is_default', 'is_deleted', 'strict_security', 'enforce_https'],
  ),
  limit: gauge(
    'proxywatch_proxy_user_limit_bytes',
    `Quota of the proxy user in bytes, ${SOURCE} The series is missing if the user has no limit.`,
    QUOTA,
  ),
  used: gauge(
    'proxywatch_proxy_user_used_bytes',
    `Number of bytes that the proxy user has used since the provider's last reset, ${SOURCE}`,
    QUOTA,
  ),
  left: gauge(
    'proxywatch_proxy_user_left_bytes',
    `Number of bytes that are left of the quota, at least 0, ${SOURCE} The series is missing if the user has no limit, or if proxywatch ignores a limit of 0.`,
    QUOTA,
  ),
  usage: counter(
    'proxywatch_proxy_user_usage_bytes_total',
    `Number of bytes that the proxy user has used since proxywatch first saw the user, ${SOURCE} Resets and corrections do not lower the value.`,
    QUOTA,
  ),
  exhaustion: gauge(
    'proxywatch_proxy_user_exhaustion_timestamp_seconds',
    'Time at which the forecast expects the quota to be used up, in seconds since the epoch, counted from the last full hour before the listing. The series is missing if the user uses almost no bytes, or if the history is shorter than a day.',
    QUOTA,
  ),
  users: gauge(
    'proxywatch_proxy_users',
    `Number of proxy users, ${SOURCE} The series are missing before the first counted listing.`,
    ['access_type', 'is_deleted'],
  ),
  byQuota: gauge(
    'proxywatch_proxy_users_by_quota',
    `Number of proxy users that are not deleted, by quota status, ${SOURCE} The value includes users without their own series.`,
    ['product_type', 'state'],
  ),
} as const;
