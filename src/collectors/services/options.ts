// Defines the options of the services collector.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';

export const serviceOptions = z.strictObject({
  schedule: cronExpression().default('*/30 * * * *').describe('When services are read'),
  ids: z.array(z.string().min(1)).default([]).describe('Ids of services to read'),
  discover: z
    .boolean()
    .default(true)
    .describe(
      'Whether to read also the services that the residential ledger and the inventory name, if these collectors are on',
    ),
});

export type ServiceOptions = z.infer<typeof serviceOptions>;
