// Converts between the provider's local datetimes and instants, also over changes of daylight saving.

import { bucketStart, DAY, HOUR, instantsOf, MINUTE, SECOND, zoneOffset } from '../lib/time.ts';

/** A half-open range of instants (ms). */
export interface Range {
  readonly from: number;
  readonly to: number;
}

const FIRST_LOCAL = Date.UTC(2000, 0);

/**
 * Parses a datetime or a date as the provider writes it to the milliseconds that its clock shows, *as if it were UTC*.
 * The provider's examples are `YYYY-MM-DD HH:MM:SS`; its OpenAPI document says `date-time` (RFC 3339), which has a `T`,
 * fractions and an offset. Ignores the offset: instantIn does not. Returns undefined for any other text, for a day that
 * the calendar does not have, and for a time before 2000: programs write times such as 0001-01-01 and 1970-01-01 if they
 * have none.
 */
export const parseLocal = (text: string): number | undefined => {
  if (!LOCAL.test(text)) return undefined;
  const [year, month, day] = [digits(text, 0, 4), digits(text, 5, 7), digits(text, 8, 10)];
  // Date.UTC reads 31 February as 3 March, and day 0 of a month as the last day of the month before.
  const date = Date.UTC(year, month - 1, day);
  if (date < FIRST_LOCAL || date > Date.UTC(year, month, 0)) return undefined;
  if (text.length === DATE_LENGTH) return date;
  const second =
    date + digits(text, 11, 13) * HOUR + digits(text, 14, 16) * MINUTE + digits(text, 17, 19) * SECOND;
  return text[SECOND_LENGTH] === '.' ? second + fractionOf(text) : second;
};

// An answer may have thousands of datetimes, so they are read without objects in between.
const LOCAL =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:[ Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?: ?(?:[Zz]|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?))?)?$/;
const DATE_LENGTH = 'YYYY-MM-DD'.length;
/** A datetime has its offset and its fraction behind these. */
export const SECOND_LENGTH = 'YYYY-MM-DD HH:MM:SS'.length;
/** No datetime is longer. */
export const MAX_DATETIME_LENGTH = SECOND_LENGTH + '.123456789 +01:00'.length;
const digits = (text: string, from: number, to: number): number => Number(text.slice(from, to));
/** Returns whole milliseconds, because instants are. */
const fractionOf = (text: string): number =>
  Math.floor(Number.parseFloat(`0${text.slice(SECOND_LENGTH)}`) * SECOND);

/** Returns the offset from UTC (ms) that a datetime names; undefined if it names none. The text is valid for parseLocal. */
const offsetIn = (text: string): number | undefined => {
  if (text.length <= SECOND_LENGTH) return undefined;
  const [, zulu, sign, hours, minutes = '0'] = OFFSET.exec(text) ?? [];
  if (zulu !== undefined) return 0;
  if (hours === undefined) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR + Number(minutes) * MINUTE);
};

const OFFSET = /(?:([Zz])|([+-])(\d\d):?(\d\d)?)$/;

/** Returns the instant (ms) of a datetime. An offset that it names wins over `zone`. Undefined if parseLocal rejects the text. */
export const instantIn = (text: string, zone: string): number | undefined => {
  const local = parseLocal(text);
  if (local === undefined) return undefined;
  const offset = offsetIn(text);
  return offset === undefined ? instantOf(local, zone) : local - offset;
};

/** Formats the instant `at` as the provider does: `YYYY-MM-DD HH:MM:SS` in `zone`. */
export const formatLocal = (at: number, zone: string): string => formatUtc(at + zoneOffset(zone, at));

/** Returns the instant of a single datetime: the first of two, or the end of the gap if daylight saving skips it. */
export const instantOf = (local: number, zone: string): number =>
  instantsOf(zone, local)[0] ?? local - zoneOffset(zone, local - DAY);

/**
 * Returns the instants at which an answer's buckets start, in the order of the answer. An instant is null if its text is
 * malformed, off the boundaries or outside [from, to), or if its hour is repeated and the neighbours do not show which
 * of the two it is.
 */
export const resolveBucketStarts = (
  localTimes: readonly string[],
  zone: string,
  { from, to, width }: Range & { readonly width: number },
): (number | null)[] => {
  const isInside = (at: number) => at >= from && at < to;
  const candidates = localTimes.map((text) => {
    return startsOf(text, zone, width).filter(isInside);
  });
  return resolveRepeated(candidates);
};

/**
 * Splits [from, to) into windows of at most `spanMs` (but at least a bucket). Boundaries are bucket boundaries in `zone`
 * whose local time is unambiguous, so they are moved outwards if needed: the first window may begin before `from`, and
 * the last may end after `to` and in the future.
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

/** Returns the possible starts of a bucket with this label: two only if each of them is the start of a bucket. */
const startsOf = (label: string, zone: string, width: number): number[] => {
  const local = parseLocal(label);
  if (local === undefined) return [];
  const offset = offsetIn(label);
  if (offset !== undefined) {
    const at = local - offset;
    return bucketStart(zone, at, width) === at ? [at] : [];
  }
  if (local % width !== 0) return [];
  const [first, second] = instantsOf(zone, local);
  // The label may lie in the gap of daylight saving although its bucket has time in it: a day without midnight.
  if (first === undefined)
    return instantsOf(zone, local + width - 1).map((at) => bucketStart(zone, at, width));
  return second === undefined || second - first < width ? [first] : [first, second];
};

/**
 * Chooses between two candidates by the order of the buckets. In ascending order the local time falls back exactly once
 * in the repeated hour: buckets before the fall are in the first of the two hours. Without a fall, or with two, it is
 * undecided.
 */
const resolveRepeated = (candidates: readonly (readonly number[])[]): (number | null)[] => {
  const starts = candidates.map((each) => (each.length === 1 ? (each[0] ?? null) : null));
  if (candidates.every((each) => each.length < 2)) return starts;
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

/** Whether the provider's buckets begin at `at`, and its local time names no other instant. */
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
    // One and a half buckets always lie inside the next bucket, because a local day may have 23 or 25 hours.
    boundary = bucketStart(zone, boundary + 1.5 * width, width);
  }
  return boundary;
};
