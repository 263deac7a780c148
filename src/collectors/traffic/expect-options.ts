// Defines the options of the alert on traffic that stops.

import { z } from 'zod';
import { hours } from '../../config/hours.ts';
import { duration } from '../../config/primitives.ts';
import { DAY, MINUTE } from '../../lib/time.ts';

export const expectOptions = z
  .strictObject({
    min_requests: z
      .int()
      .min(1)
      .default(1)
      .describe(
        'Lowest number of requests that you expect in a period. If there are fewer requests, the alert fires',
      ),
    within: duration({ min: MINUTE, max: DAY })
      .prefault('30m')
      .describe('Length of the period for min_requests'),
    hours: hours()
      .prefault('00-24')
      .describe('Hours of the day in which you expect traffic, in the time zone of the schedules'),
  })
  .describe('Expected traffic. The alert TrafficStopped fires when there is less traffic');
export type Expectation = z.infer<typeof expectOptions>;
