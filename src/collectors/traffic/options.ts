// Defines the options of the traffic collector, and derives the graphs from them.

import { z } from 'zod';
import { cronExpression, duration } from '../../config/primitives.ts';
import { PRODUCT_TYPES } from '../../lib/product-types.ts';
import { DAY, HOUR, MINUTE } from '../../lib/time.ts';
import { expectOptions } from './expect-options.ts';
import type { SliceLabel } from './families.ts';

const graph = z.strictObject({
  name: z.string().min(1).describe('Label `graph` of the series'),
  product_type: z.string().min(1).optional(),
  proxy_user_id: z.string().min(1).optional(),
  service_id: z.string().min(1).optional(),
  hostname: z.string().min(1).optional(),
  schedule: cronExpression().optional().describe('A schedule of its own; the collector’s by default'),
  expect: expectOptions.optional(),
});

export const trafficOptions = z.strictObject({
  schedule: cronExpression().default('* * * * *'),
  interval: z.enum(['minute', 'hour']).default('minute').describe('Width of the buckets'),
  reread: duration().prefault('2h').describe('Trailing window read again on every poll for late data'),
  deep_reread: z
    .strictObject({
      schedule: cronExpression().default('35 4 * * *'),
      span: duration().prefault('6d'),
    })
    .prefault({})
    .describe('A longer window read again now and then, for what comes late indeed'),
  window: duration({ min: HOUR, max: 31 * DAY })
    .prefault('24h')
    .describe('The longest range asked for at once'),
  catch_up: duration().prefault('7d').describe('The furthest back that a gap is filled after downtime'),
  concurrency: z.boolean().default(true),
  expect: expectOptions.optional(),
  graphs: z
    .array(graph)
    .default(PRODUCT_TYPES.map((type) => ({ name: type, product_type: type })))
    .refine(hasUniqueNames, 'expected graphs with names of their own'),
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
