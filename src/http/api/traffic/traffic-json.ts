// Defines the JSON of traffic graphs and their points.

import { z } from 'zod';
import type { ComparedGraph } from '../../../collectors/context.ts';
import { STEPS } from '../../../collectors/traffic/points.ts';
import type { Graph, HistoryBucket } from '../../../store/traffic-store.ts';
import { rfc3339, secondsOf } from '../../rfc3339.ts';
import { account, amount, count, text, time } from '../fields.ts';
import { itemOf } from '../item.ts';

type Values = Omit<HistoryBucket, 'at' | 'widthMs'>;

export const { schema: totals, json: valuesJson } = itemOf<Values>()('TrafficTotals', (from) => ({
  bytes: count.nullable(),
  requests: count.nullable(),
  successful_requests: from(count.nullable(), ({ successful }) => successful),
  failed_requests: from(count.nullable(), ({ failed }) => failed),
  smartpath_routed_bytes: from(count.nullable(), ({ smartpathBytes }) => smartpathBytes),
  smartpath_routed_requests: from(count.nullable(), ({ smartpathRequests }) => smartpathRequests),
  smartpath_money_saved: amount.nullable().describe('Money in cents of the account’s `currency`'),
  concurrency_average: amount.nullable(),
  concurrency_max: amount.nullable(),
}));

export const point = z
  .strictObject({ at: time.describe('Start of the point'), width_seconds: count, ...totals.shape })
  .meta({ id: 'TrafficPoint' });

const identity = {
  account,
  graph: text.describe('Configured name of the slice, or empty for the whole account'),
  product_type: text.nullable(),
  proxy_user_id: text.nullable(),
  service_id: text.nullable(),
  hostname: text.nullable(),
};

export const graph = z
  .strictObject({
    ...identity,
    bucket_seconds: count.nullable(),
    counted_since: time
      .nullable()
      .describe('Time at which the counters began to count, or null before the first complete answer'),
    complete_until: time
      .nullable()
      .describe(
        'End of the time without missing buckets. If the graph has a gap, the value is the start of the gap',
      ),
    read_at: time.nullable().describe('Time of the last read of the graph'),
    deep_read_at: time.nullable().describe('Time of the last deep reread of the graph'),
    last_bucket: point.nullable().describe('Newest complete bucket'),
  })
  .meta({ id: 'Graph' });

export const traffic = z
  .strictObject({
    ...identity,
    from: time,
    to: time,
    step: z.enum(STEPS),
    complete_until: time.nullable(),
    totals: totals.describe(
      'Sums of all points. For concurrency, the values are the weighted average and the maximum',
    ),
    data: z.array(point),
  })
  .meta({ id: 'Traffic' });

/** A configured slice, or the whole account, with its state in the store. */
export interface GraphWithState {
  readonly settings: ComparedGraph;
  readonly stored: Graph | undefined;
  readonly lastBucket: HistoryBucket | undefined;
}

/** Up to when every bucket has been read (ms). Newer ones after a gap may have been read too. */
export const completeUntil = (stored: Graph | undefined): number | null =>
  stored?.gaps[0]?.from ?? stored?.watermark ?? null;

export const identityJson = (account: string, settings: ComparedGraph) => ({
  account,
  graph: settings.name,
  product_type: settings.product_type ?? null,
  proxy_user_id: settings.proxy_user_id ?? null,
  service_id: settings.service_id ?? null,
  hostname: settings.hostname ?? null,
});

export const pointJson = (bucket: HistoryBucket) => ({
  at: rfc3339(bucket.at),
  width_seconds: secondsOf(bucket.widthMs),
  ...valuesJson(bucket),
});

export const graphJson = (account: string, { settings, stored, lastBucket }: GraphWithState) => ({
  ...identityJson(account, settings),
  bucket_seconds: secondsOf(stored?.bucketMs ?? null),
  counted_since: rfc3339(stored?.baselinedAt ?? null),
  complete_until: rfc3339(completeUntil(stored)),
  read_at: rfc3339(stored?.readAt ?? null),
  deep_read_at: rfc3339(stored?.deepReadAt ?? null),
  last_bucket: lastBucket ? pointJson(lastBucket) : null,
});
