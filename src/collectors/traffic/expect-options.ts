// Defines the options of the alert on traffic that stops.

import { z } from 'zod';
import { hours } from '../../config/hours.ts';
import { duration } from '../../config/primitives.ts';
import { DAY, MINUTE } from '../../lib/time.ts';

export const expectOptions = z
  .strictObject({
    min_requests: z.int().min(1).default(1).describe('Fewer requests than this cause an alert'),
    within: duration({ min: MINUTE, max: DAY })
      .prefault('30m')
      .describe('Length of the period in which requests are counted'),
    hours: hours()
      .prefault('00-24')
      .describe('Hours of the day in which traffic is expected, in the time zone of the schedules'),
  })
  .describe('Traffic that you expect, with an alert when it stops');
export type Expectation = z.infer<typeof expectOptions>;
