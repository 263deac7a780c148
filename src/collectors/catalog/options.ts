// Defines the options of the catalog collector.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';

export const catalogOptions = z.strictObject({
  schedule: cronExpression().default('15 * * * *').describe('Schedule for reading the catalog'),
  alert_on: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Codes of products for which you want alerts. A product that is missing from the catalog counts as not available',
    ),
  max_series_products: z
    .int()
    .min(1)
    .default(5_000)
    .describe(
      'Maximum number of products that have their own series. The products of alert_on always have series and do not count',
    ),
});

export type CatalogOptions = z.infer<typeof catalogOptions>;
