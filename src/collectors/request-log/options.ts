// Defines the options of the collector of the request log.

import { z } from 'zod';
import { cronExpression, duration } from '../../config/primitives.ts';
import { HOUR, MINUTE } from '../../lib/time.ts';

export const requestLogOptions = z.strictObject({
  schedule: cronExpression().default('*/5 * * * *').describe('Schedule for counting the newest requests'),
  errors: z.literal(true).default(true).describe('Failed requests are counted'),
  settle: duration({ min: MINUTE, max: 6 * HOUR })
    .prefault('10m')
    .describe('Age from which minutes are counted, because the provider can write its log late'),
  samples: z
    .int()
    .min(0)
    .max(10_000)
    .default(500)
    .describe('Most failed requests that a run reads, to estimate which proxy users and host names fail'),
  max_requests_per_day: z
    .int()
    .min(1_000)
    .max(500_000)
    .default(20_000)
    .describe(
      'Most requests to the log in 24 hours. With fewer, longer times are counted at once, and later',
    ),
});

export type RequestLogOptions = z.infer<typeof requestLogOptions>;
