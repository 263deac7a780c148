// Defines the options of the inventory collector.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';

export const inventoryOptions = z.strictObject({
  schedule: cronExpression().default('0 * * * *'),
  max_series_proxies: z
    .int()
    .min(1)
    .default(100_000)
    .describe('Proxies with series of their own, at most, beside those that are tested'),
});

export type InventoryOptions = z.infer<typeof inventoryOptions>;
