// Defines the options and the metric families of the proxy users collector.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';
import { counter, gauge } from '../../lib/family.ts';
import { familiesBy } from '../families.ts';
import { labelsFromMetadata } from '../metadata-labels.ts';

export const proxyUserOptions = z.strictObject({
  schedule: cronExpression().default('*/5 * * * *').describe('Schedule for listing all users'),
  select: z
    .strictObject({
      ids: z.array(z.string().min(1)).default([]).describe('Ids of users with their own series'),
      top: z
        .int()
        .min(0)
        .default(0)
        .describe('Number of users that have their own series because they used the most bytes'),
      include_deleted: z
        .boolean()
        .default(false)
        .describe('True if deleted users can also have their own series'),
    })
    .prefault({})
    .describe(
      'Users with their own series. If you set no ids and no top, all users have their own series. Users with the quota status low, soon or exhausted always have their own series',
    ),
  max_series_users: z
    .int()
    .min(1)
    .default(100_000)
    .describe(
      'Maximum number of users that have their own series. Above this number, only users with the quota status low, soon or exhausted have their own series',
    ),
  labels_from_metadata: labelsFromMetadata('proxy_user_metadata', 'proxywatch_proxy_user_info'),
  zero_limit: z
    .enum(['ignore', 'exhausted'])
    .default('ignore')
    .describe('Meaning of a limit of 0 bytes. ignore: no limit. exhausted: the user has no bytes left'),
});

export type ProxyUserOptions = z.infer<typeof proxyUserOptions>;

const SOURCE = 'polled from proxy_user/search.';
const PREFIX = 'proxywatch_proxy_';
const [gauges, counters] = [familiesBy(gauge, PREFIX), familiesBy(counter, PREFIX)];
const QUOTA = ['proxy_user_id', 'product_type'] as const;

export const userFamilies = {
  ...gauges(
    ['proxy_user_id', 'access_type', 'is_default', 'is_deleted', 'strict_security', 'enforce_https'],
    {
      user_info: `Settings of the proxy user at the provider, in labels, ${SOURCE} The value is always 1.`,
    },
  ),
  ...gauges(QUOTA, {
    user_limit_bytes: `Quota of the proxy user in bytes, ${SOURCE} The series is missing if the user has no limit.`,
    user_used_bytes: `Number of bytes that the proxy user has used since the provider's last reset, ${SOURCE}`,
    user_left_bytes: `Number of bytes that are left of the quota, at least 0, ${SOURCE} The series is missing if the user has no limit, or if proxywatch ignores a limit of 0.`,
  }),
  ...counters(QUOTA, {
    user_usage_bytes_total: `Number of bytes that the proxy user has used since proxywatch first saw the user, ${SOURCE} Resets and corrections do not lower the value.`,
  }),
  ...gauges(QUOTA, {
    user_exhaustion_timestamp_seconds:
      'Time at which the forecast expects the quota to be used up, in seconds since the epoch, counted from the last full hour before the listing. The series is missing if the user uses almost no bytes, or if the history is shorter than a day.',
  }),
  ...gauges(['access_type', 'is_deleted'], {
    users: `Number of proxy users, ${SOURCE} The series are missing before the first counted listing.`,
  }),
  ...gauges(['product_type', 'state'], {
    users_by_quota: `Number of proxy users that are not deleted, by quota status, ${SOURCE} The value includes users without their own series.`,
  }),
} as const;
