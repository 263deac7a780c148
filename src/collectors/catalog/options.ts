// Defines the options of the catalog collector.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';

export const catalogOptions = z.strictObject({
  schedule: cronExpression().default('15 * * * *'),
  alert_on: z
    .array(z.string().min(1))
    .default([])
    .describe('Codes of products to be alerted on; one that the catalog does not have is not available'),
  max_series_products: z
    .int()
    .min(1)
    .default(5_000)
    .describe('Products with series of their own, at most, beside those of alert_on'),
});

export type CatalogOptions = z.infer<typeof catalogOptions>;
