// Defines the options of the proxy users collector.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';
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
