// Traffic graphs: analytics/graph.

import { z } from 'zod';
import { DAY, HOUR, MINUTE } from '../lib/time.ts';
import type { ProviderClient } from './client.ts';
import { ProviderError } from './errors.ts';
import { nullable } from './schema.ts';
import { formatLocal, resolveBucketStarts } from './time.ts';

export const INTERVALS = { minute: MINUTE, hour: HOUR, day: DAY } as const;
export type Interval = keyof typeof INTERVALS;

export interface GraphFilter {
  readonly productType?: string | undefined;
  readonly proxyUserId?: string | undefined;
  readonly serviceId?: string | undefined;
  readonly hostname?: string | undefined;
}

export interface GraphQuery {
  readonly filter: GraphFilter;
  readonly interval: Interval;
  /** Range asked for (ms, `to` exclusive), on boundaries as windowsOf makes them. */
  readonly from: number;
  readonly to: number;
  /** Not to be had for days, and then left out. */
  readonly concurrency: boolean;
  /** Of the provider's datetimes. */
  readonly timeZone: string;
  /** Names of two parameters that the API's documentation leaves open. */
  readonly parameters: { readonly productType: string; readonly concurrency: string };
  readonly signal?: AbortSignal | undefined;
}

/** Null where the provider gave no value. */
export interface TrafficBucket {
  /** Start (ms). */
  readonly at: number;
  readonly bytes: number;
  readonly requests: number;
  readonly successful: number;
  readonly failed: number;
  readonly smartpathBytes: number | null;
  readonly smartpathRequests: number | null;
  /** In the provider's unit of money. */
  readonly smartpathMoneySaved: number | null;
  readonly concurrencyAverage: number | null;
  readonly concurrencyMax: number | null;
}

export interface TrafficGraph {
  /** Ascending by `at`, each once; those without traffic may be absent. */
  readonly buckets: TrafficBucket[];
  /** Rows left out: without a needed value, outside the range, or not to be told in time. */
  readonly skipped: number;
}

const ENDPOINT = 'analytics/graph';

// A value of the wrong type counts as not given: what it means for its row is decided in toBucket.
const integer = nullable(z.int().min(0)).catch(null);
const number = nullable(z.number().min(0)).catch(null);

const values = z.object({
  interval: z.string().catch(''),
  bytes: integer,
  requests: integer,
  successful: integer,
  error: integer,
  smartpath_routed_bytes: integer,
  smartpath_routed_requests: integer,
  smartpath_money_saved: number,
  avg_log_concurrency: number,
  max_log_concurrency: number,
});
type Row = z.infer<typeof values>;
const row = values.catch(() => values.parse({}));

const answer = z.object({
  data: z.object({
    intervals: z.array(row),
    total_bytes: number,
    total_requests: number,
    total_successful: number,
    total_error: number,
    total_smartpath_routed_bytes: number,
    total_smartpath_routed_requests: number,
    total_smartpath_money_saved: number,
  }),
});
type Graph = z.infer<typeof answer>['data'];

const SUMMED = [
  'bytes',
  'requests',
  'successful',
  'error',
  'smartpath_routed_bytes',
  'smartpath_routed_requests',
  'smartpath_money_saved',
] as const;

/**
 * Reads one window. Of rows for the same bucket the last one stands, so that none counts twice; the totals then
 * tell whether that was right. Throws ProviderError: bad_response too when the rows do not add up to the totals
 * that came with them, because then the answer was cut short.
 */
export const readGraph = async (client: ProviderClient, query: GraphQuery): Promise<TrafficGraph> => {
  const { timeZone, interval, from, to, signal } = query;
  const { data } = await client.get(ENDPOINT, { query: toParameters(query), schema: answer, signal });
  const width = INTERVALS[interval];
  const labels = data.intervals.map((bucket) => bucket.interval);
  const starts = resolveBucketStarts(labels, timeZone, { from, to, width });
  const byStart = new Map<number, Row>();
  const adrift: Row[] = [];
  for (const [i, bucket] of data.intervals.entries()) {
    const at = starts[i] ?? null;
    if (at === null) adrift.push(bucket);
    else byStart.set(at, bucket);
  }
  checkTotals(data, [...byStart.values(), ...adrift]);
  const buckets = [...byStart].flatMap(([at, bucket]) => toBucket(at, bucket) ?? []);
  buckets.sort((a, b) => a.at - b.at);
  return { buckets, skipped: adrift.length + byStart.size - buckets.length };
};

const toParameters = ({ filter, interval, from, to, concurrency, timeZone, parameters }: GraphQuery) => ({
  period_start: formatLocal(from, timeZone),
  period_end: formatLocal(to, timeZone),
  interval,
  [parameters.productType]: filter.productType,
  proxy_user_id: filter.proxyUserId,
  service_id: filter.serviceId,
  hostname: filter.hostname,
  [parameters.concurrency]: concurrency && interval !== 'day' ? true : undefined,
});

/** Compares what can be compared: totals that were given, over values that every row gave. */
const checkTotals = (graph: Graph, rows: readonly Row[]): void => {
  for (const field of SUMMED) {
    const total = graph[`total_${field}`];
    const given = rows.map((bucket) => bucket[field]);
    if (total === null || given.includes(null)) continue;
    const sum = given.reduce<number>((all, value) => all + (value ?? 0), 0);
    // Money may have fractions, whose sum depends on their order.
    const slack = field === 'smartpath_money_saved' ? 1e-6 : 0;
    if (Math.abs(sum - total) <= slack) continue;
    const what = `answer is cut short: ${rows.length} buckets add up to ${sum} ${field} of ${total}`;
    throw new ProviderError('bad_response', ENDPOINT, what);
  }
};

const toBucket = (at: number, bucket: Row): TrafficBucket | undefined => {
  const { bytes, requests, successful, error } = bucket;
  if (bytes === null || requests === null || successful === null || error === null) return undefined;
  return {
    at,
    bytes,
    requests,
    successful,
    failed: error,
    smartpathBytes: bucket.smartpath_routed_bytes,
    smartpathRequests: bucket.smartpath_routed_requests,
    smartpathMoneySaved: bucket.smartpath_money_saved,
    concurrencyAverage: bucket.avg_log_concurrency,
    concurrencyMax: bucket.max_log_concurrency,
  };
};
