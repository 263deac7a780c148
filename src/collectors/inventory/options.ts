// Defines the options of the inventory collector.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';

export const inventoryOptions = z.strictObject({
  schedule: cronExpression().default('0 * * * *').describe('When all proxies are listed'),
  max_series_proxies: z
    .int()
    .min(1)
    .default(100_000)
    .describe('Largest number of proxies with their own series, in addition to those that are tested'),
});

export type InventoryOptions = z.infer<typeof inventoryOptions>;
