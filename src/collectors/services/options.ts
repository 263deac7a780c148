// Defines the options of the services collector.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';

export const serviceOptions = z.strictObject({
  schedule: cronExpression().default('*/30 * * * *').describe('Schedule for reading services'),
  ids: z.array(z.string().min(1)).default([]).describe('Ids of services to read'),
  discover: z
    .boolean()
    .default(true)
    .describe(
      'True if the collector also reads the services that the residential_ledger and inventory collectors find',
    ),
});

export type ServiceOptions = z.infer<typeof serviceOptions>;
