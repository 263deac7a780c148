// A graph's history as points of one width, few enough to be drawn.

import { bucketEnd, bucketStart, DAY, HOUR } from '../../lib/time.ts';
import { type HistoryBucket, TRAFFIC_COUNTERS, type TrafficCounter } from '../../store/traffic-store.ts';

export const STEPS = ['raw', 'hour', 'day'] as const;
/** As polled, by hour or by day; what is rolled up already stays as wide as it is. */
export type Step = (typeof STEPS)[number];

export const MAX_POINTS = 1_500;

export const stepMsOf = (step: Step, bucketMs: number): number =>
  ({ raw: bucketMs, hour: Math.max(HOUR, bucketMs), day: DAY })[step];

/** The finest step that makes no more than MAX_POINTS of a range (ms). */
export const chosenStep = (rangeMs: number, bucketMs: number): Step =>
  STEPS.find((step) => rangeMs / stepMsOf(step, bucketMs) <= MAX_POINTS) ?? 'day';

/** Buckets in order of time put together on boundaries of the zone. */
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
    // What was rolled up more coarsely, or is of another zone, may reach out of its step.
    const isOneWhole = group.length === 1 && first.widthMs >= end - start;
    points.push(isOneWhole ? first : { ...totalsOf(group), at: start, widthMs: end - start });
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

/** Sums; the average of concurrency is weighted by the time it is of, the highest is the highest. */
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
    concurrencyMax: highestOf(buckets.map(({ concurrencyMax }) => concurrencyMax)),
  };
};

const sumOf = (values: readonly (number | null)[]): number | null =>
  values.reduce((sum, value) => (value === null ? sum : (sum ?? 0) + value), null);

const highestOf = (values: readonly (number | null)[]): number | null =>
  values.reduce((most, value) => (value === null ? most : Math.max(most ?? value, value)), null);
