// Defines the options of the alert on traffic that stops.

import { z } from 'zod';
import { hours } from '../../config/hours.ts';
import { duration } from '../../config/primitives.ts';
import { DAY, MINUTE } from '../../lib/time.ts';

export const expectOptions = z
  .strictObject({
    min_requests: z.int().min(1).default(1).describe('At least so many'),
    within: duration({ min: MINUTE, max: DAY }).prefault('30m').describe('In any time as long as this'),
    hours: hours().prefault('00-24').describe('In these hours of every day, in the zone of the schedules'),
  })
  .describe('Traffic that is to be alerted on when it stops');
export type Expectation = z.infer<typeof expectOptions>;
