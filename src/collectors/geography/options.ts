// Defines the options of the geography collector: the places and networks that it reads.

import { z } from 'zod';
import { cronExpression } from '../../config/primitives.ts';

export const geographyOptions = z.strictObject({
  schedule: cronExpression().default('25 3 * * *').describe('Schedule for reading places and networks'),
  continents: z.boolean().default(true).describe('True if the collector reads the list of continents'),
  asns: z.array(z.int().min(0)).default([]).describe('Numbers of autonomous systems'),
  cities: z.array(z.int().min(0)).default([]).describe('The provider’s ids of cities'),
  subdivisions: z
    .array(z.string().min(1))
    .default([])
    .describe('The provider’s ids of subdivisions, such as fr-idf'),
});

export type GeographyOptions = z.infer<typeof geographyOptions>;
