// Defines the store of traffic: graphs, their buckets and counters.

import type { Range } from '../lib/time.ts';
import type { Counter } from './counter.ts';
import type { Gap } from './gap.ts';

/** The values of a bucket that are counted. */
export const TRAFFIC_COUNTERS = [
  'bytes',
  'requests',
  'successful',
  'failed',
  'smartpathBytes',
  'smartpathRequests',
  'smartpathMoneySaved',
] as const;
export type TrafficCounter = (typeof TRAFFIC_COUNTERS)[number];

/** A bucket. Values are null if the provider has not given them. */
export interface Bucket extends Readonly<Record<TrafficCounter, number | null>> {
  /** Start of the bucket (ms). */
  readonly at: number;
  readonly concurrencyAverage: number | null;
  readonly concurrencyMax: number | null;
}

/** A bucket as polled, or a rolled-up one of an hour or a day. */
export interface HistoryBucket extends Bucket {
  readonly widthMs: number;
}

/** The values that identify a graph. */
export interface GraphIdentity {
  readonly account: string;
  /** The configured name; empty for the whole account. */
  readonly name: string;
  /** Filters and interval in a canonical form. With other ones under the same name, its counters would be wrong. */
  readonly slice: string;
  /** Time zone and parameter names of its requests. If they change, its rows start again. */
  readonly requestFormat: string;
  /** Time zone of the provider's datetimes. Hours and days of its history begin on the zone's boundaries. */
  readonly zone: string;
  /** Width of a bucket (ms). */
  readonly bucketMs: number;
}

/** Identifies the published history of a graph. With another slice, its series have other labels. */
export const publishedSubject = ({ name, slice }: Pick<GraphIdentity, 'name' | 'slice'>): string =>
  `${name} ${slice}`;

export interface Graph extends Pick<GraphIdentity, 'name' | 'slice' | 'bucketMs'> {
  readonly id: number;
  /** Buckets that start before this (ms) never count. */
  readonly floor: number;
  /** When the first complete answer was requested (ms); null until it is stored. */
  readonly baselinedAt: number | null;
  /** Up to when (ms) all buckets have been read at least once, except for the gaps; null before the first window. */
  readonly watermark: number | null;
  /** Ranges before the watermark that are still to be read, ordered by time. */
  readonly gaps: readonly Gap[];
  /** When a window was last stored, and when the last deep reread was finished (ms). */
  readonly readAt: number | null;
  readonly deepReadAt: number | null;
}

/** A window of buckets that was read completely. */
export interface BucketWindow {
  /** The answered buckets. Null values and missing buckets do not change stored ones. */
  readonly buckets: readonly Bucket[];
  /** The new watermark (ms), if this window is the newest. The watermark never moves back. */
  readonly watermark?: number;
  /** The requested range, which is no longer a gap. */
  readonly readRange?: Range;
  /** The range that the watermark skips. It is a gap until it is read. */
  readonly skippedRange?: Range;
  /** Buckets that end at or before this time (ms) had settled when they were last read. By default none had. */
  readonly settledUntil?: number;
  /** Current time (ms). */
  readonly now: number;
  /** The run's start, given with the last window of the first complete answer, which becomes the baseline. */
  readonly baselinedAt?: number;
  /** Time of the deep reread (ms), given with its last window. */
  readonly deepReadAt?: number;
}

/** A sum is null if a bucket with traffic lacks the value. */
export interface TrafficSums {
  readonly requests: number | null;
  readonly failed: number | null;
}

export interface TrafficPauses {
  /** Start of the oldest bucket with requests (ms). */
  readonly firstAt: number;
  /** The longest time between the starts of two consecutive ones (ms). */
  readonly longestPauseMs: number;
}

export interface TrafficStore {
  /** Returns the graph with that identity. Creates a new one with that floor and with counters at 0. */
  openGraph(identity: GraphIdentity, floor: number, now: number): Promise<Graph>;
  /** Returns every stored graph of the account, configured or not. */
  graphs(account: string): Promise<Graph[]>;
  /** Stores a window and its growth of the graph's counters, in one transaction. */
  saveWindow(graph: number, window: BucketWindow): Promise<void>;
  /** Returns the graph's gaps, ordered by time. */
  gaps(graph: number): Promise<Gap[]>;
  /** Records that reading this part of a gap failed at `at` (ms). */
  recordGapFailure(graph: number, range: Range, at: number): Promise<void>;
  /** Drops the parts of gaps before `before` (ms). Returns their length (ms). */
  dropGaps(graph: number, before: number): Promise<number>;
  counters(graph: number): Promise<Record<TrafficCounter, Counter>>;
  /** Returns the newest bucket that ends at or before `until` (ms). */
  lastBucket(graph: number, until: number): Promise<Bucket | undefined>;
  /** Returns the start of the newest bucket (ms), complete or not. */
  newestBucket(graph: number): Promise<number | undefined>;
  /** Returns the start of the newest bucket with traffic that lies entirely in [from, until) (ms). */
  newestBucketWithTraffic(graph: number, from: number, until: number): Promise<number | undefined>;
  /** Returns sums over buckets as polled that lie entirely in [from, until) (ms). */
  sums(graph: number, from: number, until: number): Promise<TrafficSums>;
  /** Returns pauses between buckets as polled that start at or before `until` (ms). */
  pauses(graph: number, until: number): Promise<TrafficPauses>;
  /** Returns buckets as polled that start in [from, to) (ms), ordered by time. Older ones are rolled up. */
  buckets(graph: number, from: number, to: number): Promise<Bucket[]>;
  /**
   * Yields buckets of all resolutions that start in [from, to) (ms), ordered by time: by day, by hour and as polled.
   * They never overlap. The event loop is free between days.
   */
  history(graph: number, from: number, to: number): AsyncIterable<HistoryBucket>;
}
