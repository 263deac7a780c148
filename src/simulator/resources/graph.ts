// Simulates analytics/graph: the account's traffic in buckets.

import { type Discrepancy, minutesWithDiscrepancies } from '../faults/outages.ts';
import type { ApiCall, Route } from '../http.ts';
import type { Interval, LocalTime } from '../local-time.ts';
import type { Traffic, TrafficSum } from '../traffic/minutes.ts';
import type { PublishedTraffic } from '../traffic/published-traffic.ts';
import type { TrafficFilter } from '../traffic/slices.ts';
import { type GraphQuery, parseGraphQuery, type Range } from './graph-query.ts';

export interface Bucket extends TrafficSum {
  readonly start: number;
}

interface GraphSettings {
  readonly traffic: PublishedTraffic;
  readonly local: LocalTime;
  /** Whether buckets without traffic are sent as zeros or left out. */
  readonly sendsEmpty: boolean;
  /** Whether buckets after the present are sent. */
  readonly sendsFuture: boolean;
  readonly discrepancies: readonly Discrepancy[];
}

const SECONDS_PER_REQUEST = 2;

export const graphRoute = ({
  traffic,
  local,
  sendsEmpty,
  sendsFuture,
  discrepancies,
}: GraphSettings): Route => {
  const handle = ({ query, at }: ApiCall) => {
    const graphQuery = parseGraphQuery(query, local, at);
    const { filter, range } = graphQuery;
    const all = bucketsOf(traffic, local, filter, range, at, sendsFuture ? range.to : at);
    const reported =
      graphQuery.range.interval === 'minute' ? minutesWithDiscrepancies(discrepancies, all) : all;
    const buckets = reported.filter(({ requests, bytes }) => sendsEmpty || requests > 0 || bytes > 0);
    return { data: graph(buckets, graphQuery, local, at), message: 'Graph retrieved.' };
  };
  return { method: 'GET', endpoint: 'analytics/graph', handle };
};

/**
 * Returns the buckets that begin before `until` (ms), as published at the time `at`. A bucket that the range cuts
 * includes only the traffic inside the range.
 */
export const bucketsOf = (
  traffic: PublishedTraffic,
  local: LocalTime,
  filter: TrafficFilter,
  { interval, from, to }: Range,
  at: number,
  until = at,
): Bucket[] => {
  const buckets: Bucket[] = [];
  const selection = traffic.select(filter);
  const first = Math.max(from, traffic.start);
  const last = Math.min(to, until);
  for (let start = local.bucketStart(interval, first); start < last; ) {
    const end = local.nextBucket(interval, start);
    buckets.push({ start, ...traffic.sum(selection, Math.max(start, from), Math.min(end, to), at) });
    start = end;
  }
  return buckets;
};

const graph = (
  buckets: readonly Bucket[],
  { range: { interval }, withConcurrency }: GraphQuery,
  local: LocalTime,
  at: number,
) => {
  const totals = values('total_', (key) => buckets.reduce((sum, bucket) => sum + bucket[key], 0));
  const rows = buckets.map((bucket) => row(bucket, interval, local));
  if (!withConcurrency) return { intervals: rows, ...totals };
  const concurrencies = buckets.map((bucket) =>
    concurrency(bucket, local.nextBucket(interval, bucket.start), at),
  );
  return {
    intervals: rows.map((plain, i) => ({ ...plain, ...concurrencies[i] })),
    ...totals,
    ...totalConcurrency(concurrencies),
  };
};

/** The names of the values in answers. */
const NAMES = {
  bytes: 'bytes',
  requests: 'requests',
  successful: 'successful',
  failed: 'error',
  smartpathBytes: 'smartpath_routed_bytes',
  smartpathRequests: 'smartpath_routed_requests',
  smartpathMoneySaved: 'smartpath_money_saved',
} as const satisfies Record<keyof Traffic, string>;

const values = (prefix: string, amountOf: (key: keyof Traffic) => number): Record<string, number> =>
  Object.fromEntries(
    Object.entries(NAMES).map(([key, name]) => [prefix + name, amountOf(key as keyof Traffic)]),
  );

const row = (bucket: Bucket, interval: Interval, local: LocalTime) => {
  const hasTime = interval === 'minute' || interval === 'hour';
  return {
    interval: hasTime ? local.datetime(bucket.start) : local.date(bucket.start),
    interval_name: hasTime ? local.timeOfDay(bucket.start) : local.date(bucket.start),
    ...values('', (key) => bucket[key]),
  };
};

/** Uses Little's law with two seconds per request. The peak is twice the mean of the busiest minute. */
const concurrency = (bucket: Bucket, end: number, at: number) => {
  const seconds = Math.max(1, (Math.min(end, at) - bucket.start) / 1_000);
  return {
    avg_log_concurrency: Math.round((100 * bucket.requests * SECONDS_PER_REQUEST) / seconds) / 100,
    max_log_concurrency: Math.ceil((2 * bucket.peakRequests * SECONDS_PER_REQUEST) / 60),
  };
};

/** Returns the mean of the averages and the highest peak. */
const totalConcurrency = (buckets: readonly ReturnType<typeof concurrency>[]) => {
  const sum = buckets.reduce((total, bucket) => total + bucket.avg_log_concurrency, 0);
  return {
    total_avg_log_concurrency: sum / Math.max(1, buckets.length),
    total_max_log_concurrency: buckets.reduce(
      (peak, bucket) => Math.max(peak, bucket.max_log_concurrency),
      0,
    ),
  };
};
