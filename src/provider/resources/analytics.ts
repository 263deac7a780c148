// Reads traffic graphs (analytics/graph).

import { z } from 'zod';
import { DAY, HOUR, MINUTE } from '../../lib/time.ts';
import { graphLimit } from '../answer-limits.ts';
import type { ProviderClient } from '../client.ts';
import {
  integerOf,
  nonNegativeAmount,
  nonNegativeOf,
  nullable,
  type Validity,
  withInvalidity,
} from '../schema.ts';
import { formatLocal, isUndecidedYet, resolveBucketStarts, SECOND_LENGTH } from '../time.ts';
import { type Contradiction, compareTotals, contradictionsIn, rejectTruncated } from './graph-totals.ts';

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
  /** The requested range (ms, `to` exclusive), on boundaries as windowsOf returns them. */
  readonly from: number;
  readonly to: number;
  /** Whether to request concurrency. It is ignored for days, for which the provider has none. */
  readonly concurrency: boolean;
  /** Zone of the provider's datetimes. */
  readonly timeZone: string;
  /** Reads the times that the labels show, without the offsets that they name. It serves to find out the zone. */
  readonly ignoresOffsets?: boolean;
  /** Names of two parameters that the API's documentation leaves open. */
  readonly parameters: { readonly productType: string; readonly concurrency: string };
  readonly signal?: AbortSignal | undefined;
  /** Returns the current time (ms): no traffic is expected after that of the answer. Default: the whole range is past. */
  readonly now?: (() => number) | undefined;
}

/** A value is null if the provider did not give it. */
export type TrafficBucket = NonNullable<ReturnType<typeof toBucket>>;

export interface TrafficGraph extends Validity {
  /** In ascending order of `at`, each once; buckets without traffic may be absent. */
  readonly buckets: TrafficBucket[];
  /** Rows that lack a required value, or are left out because their time is invalid or ambiguous. */
  readonly skipped: number;
  /** How the answer contradicts itself without being cut short. */
  readonly contradictions: readonly Contradiction[];
}

/** The endpoint's name in errors and counts. */
export const GRAPH_ENDPOINT = 'analytics/graph';

type Row = Readonly<ReturnType<typeof decodeRow>>;

/** A value that is missing or of another type is null; toBucket decides what that means for its row. */
const decodeRow = (item: unknown) => {
  const row = (typeof item === 'object' && item !== null ? item : {}) as Readonly<Record<string, unknown>>;
  return {
    /** Empty if it is missing or no text. */
    interval: typeof row.interval === 'string' ? row.interval : '',
    bytes: integerOf(row.bytes, 0),
    requests: integerOf(row.requests, 0),
    successful: integerOf(row.successful, 0),
    error: integerOf(row.error, 0),
    smartpath_routed_bytes: integerOf(row.smartpath_routed_bytes, 0),
    smartpath_routed_requests: integerOf(row.smartpath_routed_requests, 0),
    smartpath_money_saved: nonNegativeOf(row.smartpath_money_saved),
    avg_log_concurrency: nonNegativeOf(row.avg_log_concurrency),
    max_log_concurrency: nonNegativeOf(row.max_log_concurrency),
  };
};

const total = nullable(nonNegativeAmount);

const answer = z.object({
  data: withInvalidity(
    z.object({
      intervals: z.array(z.unknown()).transform((rows) => rows.map(decodeRow)),
      total_bytes: total,
      total_requests: total,
      total_successful: total,
      total_error: total,
      total_smartpath_routed_bytes: total,
      total_smartpath_routed_requests: total,
      total_smartpath_money_saved: total,
    }),
  ),
});

/** A bucket that lacks one of these values counts as skipped. */
const REQUIRED = ['bytes', 'requests', 'successful', 'error'] as const;

/**
 * Reads one window. If several rows are for the same bucket, the last one is used, so that none counts twice. Totals
 * that differ from the sum of the buckets are reported as contradictions. Throws ProviderError: bad_response also for an
 * answer that was cut short.
 */
export const readGraph = async (client: ProviderClient, query: GraphQuery): Promise<TrafficGraph> => {
  const { interval, from, to, signal } = query;
  const width = INTERVALS[interval];
  const maxBytes = graphLimit((to - from) / width);
  const request = { query: toParameters(query), schema: answer, signal, maxBytes };
  const { value: data, hasInvalidValue } = (await client.get(GRAPH_ENDPOINT, request)).data;
  const now = query.now?.() ?? to;
  const { byStart, unplaced, undecided } = placeRows(data.intervals, query, now);
  const comparisons = compareTotals(data, [...byStart.values(), ...unplaced]);
  rejectTruncated(comparisons, { starts: [...byStart.keys()], from, to, width, now });
  const buckets = [...byStart].flatMap(([at, bucket]) =>
    at > now && isEmpty(bucket) ? [] : (toBucket(at, bucket) ?? []),
  );
  buckets.sort((a, b) => a.at - b.at);
  const incomplete = [...byStart.values()].filter((bucket) => REQUIRED.some((name) => bucket[name] === null));
  return {
    buckets,
    skipped: unplaced.length - undecided + incomplete.length,
    contradictions: contradictionsIn(comparisons),
    hasInvalidValue,
  };
};

const placeRows = (
  rows: readonly Row[],
  { timeZone, interval, from, to, ignoresOffsets = false }: GraphQuery,
  answeredAt: number,
) => {
  const width = INTERVALS[interval];
  const labels = rows.map((row) => (ignoresOffsets ? row.interval.slice(0, SECOND_LENGTH) : row.interval));
  const starts = resolveBucketStarts(labels, timeZone, { from, to, width, answeredAt });
  /** By the start of their bucket (ms), in the order of the answer. */
  const byStart = new Map<number, Row>();
  const unplaced: Row[] = [];
  // The number of unplaced rows that a later answer can place, so that they are not lost.
  let undecided = 0;
  for (const [i, row] of rows.entries()) {
    const at = starts[i] ?? null;
    if (at !== null) byStart.set(at, row);
    else unplaced.push(row);
    if (at === null && isUndecidedYet(labels[i] ?? '', timeZone, width, answeredAt)) undecided += 1;
  }
  return { byStart, unplaced, undecided };
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

/** The provider may list minutes of the future as zeros, which say nothing. Traffic in the future shows a wrong zone. */
const isEmpty = ({ bytes, requests }: Row): boolean => !bytes && !requests;

/** `at` is the start (ms). */
const toBucket = (at: number, bucket: Row) => {
  const { bytes, requests, successful, error } = bucket;
  if (REQUIRED.every((name) => bucket[name] === null)) return undefined;
  return {
    at,
    bytes,
    requests,
    successful,
    failed: error,
    smartpathBytes: bucket.smartpath_routed_bytes,
    smartpathRequests: bucket.smartpath_routed_requests,
    /** In the provider's unit of money. */
    smartpathMoneySaved: bucket.smartpath_money_saved,
    concurrencyAverage: bucket.avg_log_concurrency,
    concurrencyMax: bucket.max_log_concurrency,
  };
};
