// Defines the options of the proxy users collector.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';

export const proxyUserOptions = z.strictObject({
  schedule: cronExpression().default('*/5 * * * *').describe('When all users are listed'),
  select: z
    .strictObject({
      ids: z.array(z.string().min(1)).default([]).describe('Ids of users that get their own series'),
      top: z.int().min(0).default(0).describe('How many users get their own series, by bytes used'),
      include_deleted: z.boolean().default(false).describe('Whether deleted users can get their own series'),
    })
    .prefault({})
    .describe(
      'Users with their own series: all users unless ids or top is set. Users that are low on bytes or have used them up always have their own series',
    ),
  max_series_users: z
    .int()
    .min(1)
    .default(100_000)
    .describe(
      'Largest number of users with their own series, in addition to those that are low on bytes or have used them up',
    ),
  zero_limit: z
    .enum(['ignore', 'exhausted'])
    .default('ignore')
    .describe(
      'What a limit of 0 bytes means: ignore it, or the quota is used up. The provider’s documentation does not say',
    ),
});

export type ProxyUserOptions = z.infer<typeof proxyUserOptions>;
