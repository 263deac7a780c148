// Simulates analytics/graph: checks the query by the provider's rules, and answers the traffic in buckets.

import { PRODUCT_TYPES } from '../../lib/product-types.ts';
import { DAY, HOUR, MINUTE } from '../../lib/time.ts';
import { type Discrepancy, minutesWithDiscrepancies } from '../faults/outages.ts';
import { type ApiCall, booleanOf, HttpError, type Route } from '../http.ts';
import { INTERVALS, type Interval, type LocalTime } from '../local-time.ts';
import type { Traffic, TrafficSum } from '../traffic/minutes.ts';
import type { PublishedTraffic } from '../traffic/published-traffic.ts';
import { filterIn, type TrafficFilter } from '../traffic/slices.ts';

/** Times in milliseconds; `to` is exclusive. */
interface Range {
  readonly interval: Interval;
  readonly from: number;
  readonly to: number;
}

type GraphQuery = ReturnType<typeof parseGraphQuery>;

const PARAMETERS = [
  'preset',
  'period_start',
  'period_end',
  'interval',
  'network',
  'hostname',
  'proxy_user_id',
  'service_id',
  'show_log_concurrency',
];
const PRESETS: Readonly<Record<string, { span: number; interval: Interval }>> = {
  last_hour: { span: HOUR, interval: 'minute' },
  last_day: { span: DAY, interval: 'hour' },
  last_week: { span: 7 * DAY, interval: 'hour' },
  last_30_days: { span: 30 * DAY, interval: 'day' },
  last_60_days: { span: 60 * DAY, interval: 'day' },
  last_90_days: { span: 90 * DAY, interval: 'day' },
  last_year: { span: 365 * DAY, interval: 'month' },
};
const MINUTES_RETENTION = 7 * DAY;
const HOSTNAMES_RETENTION = 90 * DAY;

/**
 * Returns the requested range clipped to the retention: the provider drops minutes after 7 days.
 * Throws HttpError: 400 for a malformed or unknown parameter, 422 for a broken rule.
 */
const parseGraphQuery = (query: URLSearchParams, local: LocalTime, at: number) => {
  const unknown = [...query.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) throw new HttpError(400, `Unknown parameter ${unknown}.`);
  const range = rangeOf(query, local, at);
  const filter = filterOf(query);
  const withConcurrency = booleanOf(query, 'show_log_concurrency');
  checkRules(range, filter, withConcurrency, at);
  return { range: clipToRetention(range, at), filter, withConcurrency };
};

const rangeOf = (query: URLSearchParams, local: LocalTime, at: number): Range => {
  const preset = query.get('preset');
  if (preset !== null) return presetRange(preset, local, at);
  const interval = INTERVALS.find((name) => name === query.get('interval'));
  if (!interval) throw new HttpError(400, `interval must be one of ${INTERVALS.join(', ')}.`);
  const start = local.parse(query.get('period_start') ?? '');
  const end = local.parse(query.get('period_end') ?? '');
  if (!start || !end) throw new HttpError(400, 'period_start and period_end must be datetimes or dates.');
  // In the repeated hour the wider range is used. A date without a time covers its whole day.
  const range = {
    interval,
    from: start.first,
    to: end.isDate ? local.nextBucket('day', end.first) : end.last,
  };
  if (range.from >= range.to) throw new HttpError(400, 'period_start must be before period_end.');
  return range;
};

const presetRange = (name: string, local: LocalTime, at: number): Range => {
  const preset = PRESETS[name];
  if (!preset) throw new HttpError(400, `preset must be one of ${Object.keys(PRESETS).join(', ')}.`);
  const { span, interval } = preset;
  return { interval, from: local.nextBucket(interval, local.bucketStart(interval, at - span)), to: at };
};

const filterOf = (query: URLSearchParams): TrafficFilter => {
  const filter = filterIn(query);
  if (filter.network !== undefined && !PRODUCT_TYPES.some((type) => type === filter.network))
    throw new HttpError(400, `network must be one of ${PRODUCT_TYPES.join(', ')}.`);
  return filter;
};

const checkRules = (range: Range, filter: TrafficFilter, withConcurrency: boolean, at: number): void => {
  const isMinuteOrHour = range.interval === 'minute' || range.interval === 'hour';
  if (withConcurrency && !isMinuteOrHour) {
    throw new HttpError(422, 'Concurrency is available for the intervals minute and hour only.');
  }
  const isRecent = range.from >= at - MINUTES_RETENTION && range.to - range.from <= MINUTES_RETENTION;
  if (filter.serviceId !== undefined && !(isMinuteOrHour && isRecent)) {
    throw new HttpError(422, 'service_id needs a period within 7 days and an interval of hour or smaller.');
  }
  if (filter.hostname !== undefined && range.from < at - HOSTNAMES_RETENTION) {
    throw new HttpError(422, 'hostname is not available for data older than 90 days.');
  }
};

const clipToRetention = (range: Range, at: number): Range =>
  range.interval === 'minute'
    ? { ...range, from: Math.max(range.from, Math.ceil((at - MINUTES_RETENTION) / MINUTE) * MINUTE) }
    : range;

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

/** Returns the buckets before `until` (ms), as published at `at`. A cut bucket has only the traffic inside the range. */
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
