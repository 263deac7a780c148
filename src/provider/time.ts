// The provider's local datetimes and the instants they stand for, over daylight saving.

import { bucketStart, DAY, instantsOf, zoneOffset } from '../lib/time.ts';

/** Half-open range of instants (ms). */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * `YYYY-MM-DD HH:MM:SS` or `YYYY-MM-DD` as milliseconds since the epoch *as if it were UTC*; undefined when it is
 * neither, or no day of the calendar.
 */
export const parseLocal = (text: string): number | undefined => {
  const match = /^(\d{4}-\d\d-\d\d)(?: (\d\d:\d\d:\d\d))?$/.exec(text);
  if (!match) return undefined;
  const [, date, time = '00:00:00'] = match;
  const local = Date.parse(`${date}T${time}Z`);
  // Date.parse takes 31 February for 3 March, and 24:00 for the next day.
  return !Number.isNaN(local) && formatUtc(local) === `${date} ${time}` ? local : undefined;
};

/** The instant `at` as the provider writes it: `YYYY-MM-DD HH:MM:SS` in `zone`. */
export const formatLocal = (at: number, zone: string): string => formatUtc(at + zoneOffset(zone, at));

/** The instant of a single datetime: the first of two, the end of the gap for one that daylight saving skips. */
export const instantOf = (local: number, zone: string): number =>
  instantsOf(zone, local)[0] ?? local - zoneOffset(zone, local - DAY);

/**
 * The instants at which an answer's buckets start, in the order of the answer; null for one that is malformed, off
 * the boundaries, outside [from, to), or in the repeated hour without its neighbours telling which of the two.
 */
export const resolveBucketStarts = (
  localTimes: readonly string[],
  zone: string,
  { from, to, width }: Range & { readonly width: number },
): (number | null)[] => {
  const candidates = localTimes.map((text) => {
    const local = parseLocal(text);
    const starts = local === undefined ? [] : startsOf(local, zone, width);
    return starts.filter((at) => at >= from && at < to);
  });
  return resolveRepeated(candidates);
};

/**
 * Splits [from, to) into windows of at most `spanMs` (but at least a bucket). Boundaries are bucket boundaries in
 * `zone` that read unambiguously on the wire, so they are moved outwards where needed: the first may begin before
 * `from`, the last may end after `to`, and after the present.
 */
export const windowsOf = (
  from: number,
  to: number,
  { zone, bucketMs, spanMs }: { readonly zone: string; readonly bucketMs: number; readonly spanMs: number },
): Range[] => {
  const windows: Range[] = [];
  const end = boundaryAfter(to, zone, bucketMs);
  for (let start = boundaryBefore(from, zone, bucketMs); start < end; ) {
    const far = Math.min(end, boundaryBefore(start + spanMs, zone, bucketMs));
    const stop = far > start ? far : boundaryAfter(start + 1, zone, bucketMs);
    windows.push({ from: start, to: stop });
    start = stop;
  }
  return windows;
};

const formatUtc = (local: number): string => new Date(local).toISOString().slice(0, 19).replace('T', ' ');

/** Where a bucket labelled `local` may start: two instants only where those are the starts of two buckets. */
const startsOf = (local: number, zone: string, width: number): number[] => {
  if (local % width !== 0) return [];
  const [first, second] = instantsOf(zone, local);
  // A label may stand in the gap of daylight saving and its bucket still hold time: a day without midnight.
  if (first === undefined)
    return instantsOf(zone, local + width - 1).map((at) => bucketStart(zone, at, width));
  return second === undefined || second - first < width ? [first] : [first, second];
};

/**
 * Picks between two candidates by order. Over ascending buckets the local time of the repeated hour falls back
 * exactly once, and what stands before that is the first of the two; without a fall, or with two, nothing is told.
 */
const resolveRepeated = (candidates: readonly (readonly number[])[]): (number | null)[] => {
  const starts = candidates.map(([first = null, second]) => (second === undefined ? first : null));
  const repeated = candidates.flatMap(([first, second], index) =>
    first === undefined || second === undefined ? [] : [{ index, first, second }],
  );
  const direction = directionOf(starts.filter((at) => at !== null));
  if (direction === 'descending') repeated.reverse();
  const falls = repeated.filter(
    ({ first }, i) => first <= (repeated[i - 1]?.first ?? Number.NEGATIVE_INFINITY),
  );
  if (direction === 'unknown' || falls.length !== 1) return starts;
  let hasFallen = false;
  for (const bucket of repeated) {
    hasFallen ||= bucket === falls[0];
    starts[bucket.index] = hasFallen ? bucket.second : bucket.first;
  }
  return starts;
};

const directionOf = (starts: readonly number[]): 'ascending' | 'descending' | 'unknown' => {
  const steps = starts.slice(1).map((at, i) => at - (starts[i] ?? at));
  if (steps.every((step) => step === 0)) return 'unknown';
  if (steps.every((step) => step >= 0)) return 'ascending';
  return steps.every((step) => step <= 0) ? 'descending' : 'unknown';
};

/** A boundary whose local time names it alone, and is where the provider's buckets begin. */
const isBoundary = (at: number, zone: string, width: number): boolean => {
  const local = at + zoneOffset(zone, at);
  return local % width === 0 && instantsOf(zone, local).length === 1;
};

const boundaryBefore = (at: number, zone: string, width: number): number => {
  let boundary = bucketStart(zone, at, width);
  while (!isBoundary(boundary, zone, width)) boundary = bucketStart(zone, boundary - 1, width);
  return boundary;
};

const boundaryAfter = (at: number, zone: string, width: number): number => {
  let boundary = bucketStart(zone, at, width);
  while (boundary < at || !isBoundary(boundary, zone, width)) {
    // Half a bucket further than the next one may begin, since a local day may have 23 or 25 hours.
    boundary = bucketStart(zone, boundary + 1.5 * width, width);
  }
  return boundary;
};
