// Defines the options of the traffic collector, and derives the graphs from them.

import { z } from 'zod';
import { cronExpression, duration, labelText } from '../../config/primitives.ts';
import { hours } from '../../config/time.ts';
import { PRODUCT_TYPES } from '../../lib/product-types.ts';
import { DAY, HOUR, MINUTE } from '../../lib/time.ts';
import type { SliceLabel } from './families.ts';

const expectOptions = z
  .strictObject({
    min_requests: z
      .int()
      .min(1)
      .default(1)
      .describe(
        'Lowest number of requests that you expect in a period. If there are fewer requests, the alert fires',
      ),
    within: duration({ min: MINUTE, max: DAY })
      .prefault('30m')
      .describe('Length of the period for min_requests'),
    hours: hours()
      .prefault('00-24')
      .describe('Hours of the day in which you expect traffic, in the time zone of the schedules'),
  })
  .describe('Expected traffic. The alert TrafficStopped fires when there is less traffic');
export type Expectation = z.infer<typeof expectOptions>;

const graph = z.strictObject({
  name: labelText().describe('Name of the slice. The name is the label `graph`'),
  product_type: labelText().optional().describe('Only traffic of this product type'),
  proxy_user_id: labelText().optional().describe('Only traffic of this proxy user'),
  service_id: labelText().optional().describe('Only traffic of this service'),
  hostname: labelText()
    .optional()
    .describe('Only traffic to this host name, or to a summary of host names such as *.host.tld'),
  schedule: cronExpression()
    .optional()
    .describe('Schedule for reading this slice. The default is the schedule of the collector'),
  expect: expectOptions.optional(),
});

export const trafficOptions = z.strictObject({
  schedule: cronExpression().default('* * * * *').describe('Schedule for reading traffic'),
  interval: z.enum(['minute', 'hour']).default('minute').describe('Width of the buckets'),
  reread: duration()
    .prefault('2h')
    .describe(
      'Length of the newest period of traffic that proxywatch reads again at every poll, because some data arrives late',
    ),
  deep_reread: z
    .strictObject({
      schedule: cronExpression().default('35 4 * * *').describe('Schedule of the deep reread'),
      span: duration().prefault('6d').describe('Length of the period that the deep reread reads'),
    })
    .prefault({})
    .describe(
      'The deep reread reads a longer period again, because some data arrives after the period that reread sets',
    ),
  window: duration({ min: HOUR, max: 31 * DAY })
    .prefault('24h')
    .describe('Longest period of traffic that one request reads'),
  catch_up: duration()
    .prefault('7d')
    .describe('Longest period of traffic that proxywatch reads after downtime'),
  concurrency: z
    .boolean()
    .default(true)
    .describe('True if proxywatch requests the concurrency of each bucket'),
  expect: expectOptions.optional(),
  graphs: z
    .array(graph)
    .default(PRODUCT_TYPES.map((type) => ({ name: type, product_type: type })))
    .refine(hasUniqueNames, 'expected a different name for each graph')
    .describe('Slices that the collector reads. The collector also always reads the whole account'),
});

export type TrafficOptions = z.infer<typeof trafficOptions>;

/** A slice of the account's traffic; the whole account has no name and no filter. */
export type GraphOptions = Omit<z.infer<typeof graph>, 'name'> & { readonly name: string };

/** Returns the whole account first, then the configured slices. */
export const graphsOf = (options: TrafficOptions): GraphOptions[] => [
  { name: '', expect: options.expect },
  ...options.graphs,
];

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
