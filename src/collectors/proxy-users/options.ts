// Defines the options of the proxy users collector.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';

export const proxyUserOptions = z.strictObject({
  schedule: cronExpression().default('*/5 * * * *'),
  select: z
    .strictObject({
      ids: z.array(z.string().min(1)).default([]).describe('These users'),
      top: z.int().min(0).default(0).describe('The users that used the most bytes, this many'),
      include_deleted: z.boolean().default(false).describe('Deleted users too'),
    })
    .prefault({})
    .describe(
      'Users with series of their own; all when neither ids nor top is given. Users low on bytes or out of them always have theirs.',
    ),
  max_series_users: z
    .int()
    .min(1)
    .default(100_000)
    .describe('Users with series of their own, at most, beside those low on bytes or out of them'),
  zero_limit: z
    .enum(['ignore', 'exhausted'])
    .default('ignore')
    .describe('What a limit of 0 bytes means; the API’s documentation does not say'),
});

export type ProxyUserOptions = z.infer<typeof proxyUserOptions>;
