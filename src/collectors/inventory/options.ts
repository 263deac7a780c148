// Defines the options of the inventory collector.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';

export const inventoryOptions = z.strictObject({
  schedule: cronExpression().default('0 * * * *').describe('Schedule for listing all proxies'),
  max_series_proxies: z
    .int()
    .min(1)
    .default(100_000)
    .describe(
      'Maximum number of untested proxies that have their own series. Tested proxies always have series and do not count',
    ),
});

export type InventoryOptions = z.infer<typeof inventoryOptions>;
