// Defines the metric families of proxy users.

import { counter, gauge } from '../../lib/family.ts';

const SOURCE = 'from proxy_user/search, polled.';
const QUOTA = ['proxy_user_id', 'product_type'] as const;

export const userFamilies = {
  info: gauge('proxywatch_proxy_user_info', `Always 1; how the proxy user is set up, ${SOURCE}`, [
    'proxy_user_id',
    'access_type',
    'is_default',
    'is_deleted',
    'strict_security',
    'enforce_https',
  ]),
  limit: gauge(
    'proxywatch_proxy_user_limit_bytes',
    `Bytes allowed; absent where there is no limit, ${SOURCE}`,
    QUOTA,
  ),
  used: gauge(
    'proxywatch_proxy_user_used_bytes',
    `Bytes used since the provider's last reset, ${SOURCE}`,
    QUOTA,
  ),
  left: gauge(
    'proxywatch_proxy_user_left_bytes',
    `Bytes left, 0 where more was used; absent where there is no limit or a limit of 0 is ignored, ${SOURCE}`,
    QUOTA,
  ),
  usage: counter(
    'proxywatch_proxy_user_usage_bytes_total',
    `Bytes used since monitoring began, over resets and corrections, ${SOURCE}`,
    QUOTA,
  ),
  exhaustion: gauge(
    'proxywatch_proxy_user_exhaustion_timestamp_seconds',
    'When the bytes left will be used up, in seconds since the epoch: a forecast from decaying rates of use; absent where nothing is being used or too little is known.',
    QUOTA,
  ),
  users: gauge('proxywatch_proxy_users', `Proxy users, ${SOURCE}`, ['access_type', 'is_deleted']),
  byQuota: gauge(
    'proxywatch_proxy_users_by_quota',
    `Proxy users by how they stand to their limit, over all that are not deleted, with series of their own or not, ${SOURCE}`,
    ['product_type', 'state'],
  ),
} as const;
