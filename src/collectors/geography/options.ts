// Defines the options of the geography collector: the places and networks that it reads.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';

export const geographyOptions = z.strictObject({
  schedule: cronExpression().default('25 3 * * *'),
  continents: z.boolean().default(true).describe('All of them'),
  asns: z.array(z.int().min(0)).default([]).describe('Autonomous systems, by number'),
  cities: z.array(z.int().min(0)).default([]).describe('Cities, by the provider’s id'),
  subdivisions: z
    .array(z.string().min(1))
    .default([])
    .describe('Subdivisions of countries, by the provider’s id, such as fr-idf'),
});

export type GeographyOptions = z.infer<typeof geographyOptions>;
