// Defines the options of the catalog collector.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';

export const catalogOptions = z.strictObject({
  schedule: cronExpression().default('15 * * * *').describe('When the catalog is read'),
  alert_on: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Codes of products that you want alerts for. A product that is missing from the catalog counts as not available',
    ),
  max_series_products: z
    .int()
    .min(1)
    .default(5_000)
    .describe('Largest number of products with their own series, in addition to those of alert_on'),
});

export type CatalogOptions = z.infer<typeof catalogOptions>;
