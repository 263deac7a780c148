// Traffic as the store keeps it: graphs, their buckets and counters.

import type { Counter } from './counter.ts';
import type { Gap, TimeRange } from './gap.ts';

/** The values of a bucket that counters are made of. */
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

/** A bucket; null is a value that the provider has not given. */
export interface Bucket extends Readonly<Record<TrafficCounter, number | null>> {
  /** Start of the bucket (ms). */
  readonly at: number;
  readonly concurrencyAverage: number | null;
  readonly concurrencyMax: number | null;
}

/** A bucket as polled, or one that those of an hour or a day were rolled up into. */
export interface HistoryBucket extends Bucket {
  readonly widthMs: number;
}

/** What makes a graph the one it is. */
export interface GraphIdentity {
  readonly account: string;
  /** The configured name; empty for the whole account. */
  readonly name: string;
  /** Filters and interval in a canonical form: another one under the same name would make its counters lie. */
  readonly slice: string;
  /** How rows are read (time zone, parameter names): another one makes a new start of the rows. */
  readonly reading: string;
  /** Of the provider's datetimes: hours and days of its history begin on this zone's boundaries. */
  readonly zone: string;
  /** Width of a bucket (ms). */
  readonly bucketMs: number;
}

export interface Graph {
  readonly id: number;
  readonly name: string;
  readonly slice: string;
  readonly bucketMs: number;
  /** Buckets that start before this (ms) never count. */
  readonly floor: number;
  /** When the first complete answer was asked for (ms); null until it is stored. */
  readonly baselinedAt: number | null;
  /** Up to where (ms) buckets have been read at least once, but for the gaps; null before the first window. */
  readonly watermark: number | null;
  /** What was passed by and is still to be read, in order of time. */
  readonly gaps: readonly Gap[];
  /** When a window was last stored, and when the last deep reread was finished (ms). */
  readonly readAt: number | null;
  readonly deepReadAt: number | null;
}

/** One window of buckets, read whole. */
export interface WindowOfBuckets {
  /** As answered: a value that is null, and a bucket that is missing, change nothing of what is stored. */
  readonly buckets: readonly Bucket[];
  /** End of the newest that is now read (ms), where that is this window; the watermark never moves back. */
  readonly watermark?: number;
  /** What was asked for: no gap any more. */
  readonly read?: TimeRange;
  /** What the watermark passes by: a gap until it is read. */
  readonly unread?: TimeRange;
  /** Present time (ms). */
  readonly now: number;
  /** The run's start, given with the last window of the first complete answer: makes it the baseline. */
  readonly baselinedAt?: number;
  /** Given with the last window of a deep reread. */
  readonly deepReadAt?: number;
}

/** Null where a bucket with traffic lacks the value. */
export interface TrafficSums {
  readonly requests: number | null;
  readonly failed: number | null;
}

/** Of the buckets with requests. */
export interface Pauses {
  /** Start of the oldest one (ms). */
  readonly firstAt: number;
  /** The longest time between the starts of two that follow one another (ms). */
  readonly longestPauseMs: number;
}

export interface TrafficStore {
  /** The graph of that identity, made when it is new: with that floor, its counters at 0. */
  openGraph(identity: GraphIdentity, floor: number, now: number): Promise<Graph>;
  /** Every graph ever opened for the account, still configured or not. */
  graphs(account: string): Promise<Graph[]>;
  /** Stores a window and grows the graph's counters, in one transaction. */
  saveWindow(graph: number, window: WindowOfBuckets): Promise<void>;
  /** What is still to be read of the graph, in order of time. */
  gaps(graph: number): Promise<Gap[]>;
  /** Takes note that reading this part of a gap failed at `at` (ms). */
  gapFailed(graph: number, range: TimeRange, at: number): Promise<void>;
  /** Forgets what of the gaps lies before; returns how much that is (ms). */
  dropGaps(graph: number, before: number): Promise<number>;
  counters(graph: number): Promise<Record<TrafficCounter, Counter>>;
  /** The newest bucket that ends at or before `until` (ms). */
  lastBucket(graph: number, until: number): Promise<Bucket | undefined>;
  /** Start of the newest bucket (ms), complete or not. */
  newestBucket(graph: number): Promise<number | undefined>;
  /** Start of the newest bucket with traffic that lies in [from, until) whole (ms). */
  lastBusy(graph: number, from: number, until: number): Promise<number | undefined>;
  /** Sums over buckets as polled that lie in [from, until) whole (ms). */
  sums(graph: number, from: number, until: number): Promise<TrafficSums>;
  /** Over buckets as polled that start at or before `until` (ms). */
  pauses(graph: number, until: number): Promise<Pauses>;
  /** Buckets as polled that start in [from, to), in order of time; older ones are rolled up. */
  buckets(graph: number, from: number, to: number): Promise<Bucket[]>;
  /**
   * Buckets of all ages that start in [from, to), in order of time: those as polled, then those rolled up by hour
   * and by day, which never overlap. The event loop is free between days.
   */
  history(graph: number, from: number, to: number): AsyncIterable<HistoryBucket>;
}
