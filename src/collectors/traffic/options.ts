// Defines the options of the traffic collector, and derives the graphs from them.

import { z } from 'zod';
import { cronExpression, duration } from '../../config/primitives.ts';
import { PRODUCT_TYPES } from '../../lib/product-types.ts';
import { DAY, HOUR, MINUTE } from '../../lib/time.ts';
import { expectOptions } from './expect-options.ts';
import type { SliceLabel } from './families.ts';

const graph = z.strictObject({
  name: z.string().min(1).describe('Name of the slice, and its label `graph`'),
  product_type: z.string().min(1).optional().describe('Only traffic of this product type'),
  proxy_user_id: z.string().min(1).optional().describe('Only traffic of this proxy user'),
  service_id: z.string().min(1).optional().describe('Only traffic of this service'),
  hostname: z.string().min(1).optional().describe('Only traffic to this host name'),
  schedule: cronExpression()
    .optional()
    .describe('When this slice is read. The default is the schedule of the collector'),
  expect: expectOptions.optional(),
});

export const trafficOptions = z.strictObject({
  schedule: cronExpression().default('* * * * *').describe('When traffic is read'),
  interval: z.enum(['minute', 'hour']).default('minute').describe('Width of the buckets'),
  reread: duration()
    .prefault('2h')
    .describe('The newest time, which is read again at every poll because data comes late'),
  deep_reread: z
    .strictObject({
      schedule: cronExpression().default('35 4 * * *').describe('When the longer window is read again'),
      span: duration().prefault('6d').describe('Length of the longer window'),
    })
    .prefault({})
    .describe('A longer window that is read again less often, for data that comes very late'),
  window: duration({ min: HOUR, max: 31 * DAY })
    .prefault('24h')
    .describe('Longest range of one request'),
  catch_up: duration().prefault('7d').describe('How far back traffic is read after downtime'),
  concurrency: z.boolean().default(true).describe('Whether to request the concurrency of each bucket'),
  expect: expectOptions.optional(),
  graphs: z
    .array(graph)
    .default(PRODUCT_TYPES.map((type) => ({ name: type, product_type: type })))
    .refine(hasUniqueNames, 'expected a different name for each graph')
    .describe('Slices of the traffic that are read in addition to the whole account'),
});

export type TrafficOptions = z.infer<typeof trafficOptions>;

/** A slice of the account's traffic; the whole account has no name and no filter. */
export type GraphOptions = Omit<z.infer<typeof graph>, 'name'> & { readonly name: string };

/** Returns the whole account first, then the configured slices. */
export const graphsOf = (options: TrafficOptions): GraphOptions[] => [
  { name: '', expect: options.expect },
  ...options.graphs,
];

/** Returns the labels of a slice's series. */
export const labelsOf = (settings: GraphOptions): Record<SliceLabel, string> => ({
  graph: settings.name,
  product_type: settings.product_type ?? '',
  proxy_user_id: settings.proxy_user_id ?? '',
  service_id: settings.service_id ?? '',
  hostname: settings.hostname ?? '',
});

export const bucketMsOf = ({ interval }: Pick<TrafficOptions, 'interval'>): number =>
  interval === 'minute' ? MINUTE : HOUR;

function hasUniqueNames(graphs: readonly { readonly name: string }[]): boolean {
  return new Set(graphs.map(({ name }) => name)).size === graphs.length;
}
