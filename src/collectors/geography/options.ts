// Defines the options of the geography collector: the places and networks that it reads.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';

export const geographyOptions = z.strictObject({
  schedule: cronExpression().default('25 3 * * *').describe('When places and networks are read'),
  continents: z.boolean().default(true).describe('Whether to read the list of continents'),
  asns: z.array(z.int().min(0)).default([]).describe('Numbers of autonomous systems to read'),
  cities: z.array(z.int().min(0)).default([]).describe('The provider’s ids of cities to read'),
  subdivisions: z
    .array(z.string().min(1))
    .default([])
    .describe('The provider’s ids of subdivisions to read, such as fr-idf'),
});

export type GeographyOptions = z.infer<typeof geographyOptions>;
