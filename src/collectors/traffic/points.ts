// Converts a graph's history to points of one width, few enough to draw.

import { bucketEnd, bucketStart, DAY, HOUR } from '../../lib/time.ts';
import { type HistoryBucket, TRAFFIC_COUNTERS, type TrafficCounter } from '../../store/traffic-store.ts';

export const STEPS = ['raw', 'hour', 'day'] as const;
/** The width of points: as polled, an hour or a day. Rolled-up buckets keep their width. */
export type Step = (typeof STEPS)[number];

export const MAX_POINTS = 1_500;

export const stepMsOf = (step: Step, bucketMs: number): number =>
  ({ raw: bucketMs, hour: Math.max(HOUR, bucketMs), day: DAY })[step];

/** Returns the finest step that divides a range (ms) into at most MAX_POINTS points. */
export const finestStep = (rangeMs: number, bucketMs: number): Step =>
  STEPS.find((step) => rangeMs / stepMsOf(step, bucketMs) <= MAX_POINTS) ?? 'day';

/** Groups buckets, which come in order of time, on boundaries of the zone. */
export const pointsOf = async (
  history: AsyncIterable<HistoryBucket> | Iterable<HistoryBucket>,
  zone: string,
  stepMs: number,
): Promise<HistoryBucket[]> => {
  const points: HistoryBucket[] = [];
  let group: HistoryBucket[] = [];
  let start = Number.NEGATIVE_INFINITY;
  let end = Number.NEGATIVE_INFINITY;
  const close = (): void => {
    const [first] = group;
    if (!first) return;
    // A bucket that was rolled up to a larger width, or in another zone, may be wider than the step.
    const isWideEnough = group.length === 1 && first.widthMs >= end - start;
    points.push(isWideEnough ? first : { ...totalsOf(group), at: start, widthMs: end - start });
    group = [];
  };
  for await (const bucket of history) {
    if (bucket.at >= end) {
      close();
      start = bucketStart(zone, bucket.at, stepMs);
      end = bucketEnd(zone, start, stepMs);
    }
    group.push(bucket);
  }
  close();
  return points;
};

/** Adds up buckets. The average concurrency is weighted by time, and the highest concurrency is the maximum. */
export const totalsOf = (buckets: readonly HistoryBucket[]): Omit<HistoryBucket, 'at' | 'widthMs'> => {
  const sums = TRAFFIC_COUNTERS.map((name) => [name, sumOf(buckets.map((bucket) => bucket[name]))]);
  const averaged = buckets.filter(({ concurrencyAverage }) => concurrencyAverage !== null);
  const widthMs = averaged.reduce((sum, bucket) => sum + bucket.widthMs, 0);
  const weighted = averaged.reduce(
    (sum, { concurrencyAverage, widthMs }) => sum + (concurrencyAverage ?? 0) * widthMs,
    0,
  );
  return {
    ...(Object.fromEntries(sums) as Record<TrafficCounter, number | null>),
    concurrencyAverage: widthMs === 0 ? null : weighted / widthMs,
    concurrencyMax: maxOf(buckets.map(({ concurrencyMax }) => concurrencyMax)),
  };
};

const sumOf = (values: readonly (number | null)[]): number | null =>
  values.reduce((sum, value) => (value === null ? sum : (sum ?? 0) + value), null);

const maxOf = (values: readonly (number | null)[]): number | null =>
  values.reduce((most, value) => (value === null ? most : Math.max(most ?? value, value)), null);
