// Defines the options of the usage collector.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';

export const usageOptions = z.strictObject({
  schedule: cronExpression().default('20 * * * *').describe('Schedule for reading the use of each day'),
  top_hostnames: z
    .int()
    .min(0)
    .max(1_000)
    .default(50)
    .describe('Number of host names with their own series, by charged bytes of the last 7 days'),
  top_users: z
    .int()
    .min(0)
    .max(10_000)
    .default(100)
    .describe('Number of proxy users with their own series, by charged bytes of the last 7 days'),
  history_days: z.int().min(1).max(90).default(30).describe('Days that are read when the collector is new'),
  reread_days: z
    .int()
    .min(2)
    .max(90)
    .default(7)
    .describe('Days that are read again once a day, because the provider can correct them'),
  max_pages: z
    .int()
    .min(2)
    .max(10_000)
    .default(500)
    .describe('Most requests of a run; the next run continues'),
});

export type UsageOptions = z.infer<typeof usageOptions>;
