// Defines the options of the services collector.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';

export const serviceOptions = z.strictObject({
  schedule: cronExpression().default('*/30 * * * *'),
  ids: z.array(z.string().min(1)).default([]).describe('These services'),
  discover: z
    .boolean()
    .default(true)
    .describe('Those too that the residential ledger and the inventory name, as far as they are polled'),
});

export type ServiceOptions = z.infer<typeof serviceOptions>;
