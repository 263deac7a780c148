// Converts between the provider's local datetimes and instants, also over changes of daylight saving.

import { bucketStart, DAY, HOUR, instantsOf, MINUTE, type Range, SECOND, zoneOffset } from '../lib/time.ts';

export type { Range } from '../lib/time.ts';

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

/** What is known of an answer with buckets: the requested range, the width of a bucket, and when it came (ms). */
export interface BucketRange extends Range {
  readonly width: number;
  readonly answeredAt?: number;
}

/**
 * Returns the instants at which an answer's buckets start, in the order of the answer. An instant is null if its text is
 * malformed, off the boundaries or outside [from, to), or if its hour is repeated and neither the neighbours nor the
 * time of the answer show which of the two it is.
 */
export const resolveBucketStarts = (
  labels: readonly string[],
  zone: string,
  { from, to, width, answeredAt = to }: BucketRange,
): (number | null)[] => {
  const isInside = (at: number) => at >= from && at < to;
  const candidates = labels.map((label) => startsOf(label, zone, width).filter(isInside));
  const starts = resolveRepeated(candidates);
  if (!starts.includes(null)) return starts;
  // Only now, because an answer may list the minutes of the future.
  const hasBegun = (at: number): boolean => at <= answeredAt + CLOCK_TOLERANCE_MS;
  return resolveRepeated(candidates.map((each, i) => listOf(starts[i]) ?? withoutFuture(each, hasBegun)));
};

/** Whether it is too early to say which of two buckets with this label it is, because the second may not be published yet. */
export const isUndecidedYet = (label: string, zone: string, width: number, answeredAt: number): boolean => {
  const [, second] = startsOf(label, zone, width);
  return second !== undefined && second + PUBLISHED_WITHIN_MS > answeredAt;
};

/** The provider publishes the newest buckets late. */
export const PUBLISHED_WITHIN_MS = 15 * MINUTE;
/** The clocks of this machine and of the provider may differ by this much. */
const CLOCK_TOLERANCE_MS = 2 * MINUTE;

const listOf = (at: number | null | undefined): number[] | undefined => (at == null ? undefined : [at]);
const withoutFuture = (each: readonly number[], hasBegun: (at: number) => boolean): readonly number[] =>
  each.length < 2 ? each : each.filter(hasBegun);

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

/** A bucket's start; undefined if its label names none. */
type Choice = number | undefined;

/** Chooses between two candidates by the order of the buckets, if only one of ascending and descending is possible. */
const resolveRepeated = (candidates: readonly (readonly number[])[]): (number | null)[] => {
  const starts = candidates.map((each) => (each.length === 1 ? (each[0] ?? null) : null));
  if (candidates.every((each) => each.length < 2)) return starts;
  const [only, other] = [1, -1].flatMap((sign) => {
    const choice = chooseInOrder(candidates, sign);
    return choice ? [choice] : [];
  });
  return only && !other ? only : starts;
};

/** A bucket is decided if the earliest and the latest choice that are possible in this order are the same. */
const chooseInOrder = (
  candidates: readonly (readonly number[])[],
  sign: number,
): (number | null)[] | undefined => {
  const forward = chooseNearest(candidates, sign);
  const backward = chooseNearest(candidates.toReversed(), -sign)?.reverse();
  return backward && forward?.map((at, i) => (at === backward[i] ? (at ?? null) : null));
};

/** Chooses the nearest candidate behind that of the bucket before. Returns undefined if there is none. */
const chooseNearest = (candidates: readonly (readonly number[])[], sign: number): Choice[] | undefined => {
  let last = Number.NEGATIVE_INFINITY;
  const chosen: Choice[] = [];
  for (const each of candidates) {
    const nearestFirst = sign > 0 ? each : each.toReversed();
    // An answer may have a bucket twice. With a repeated hour, two equal labels are two buckets.
    const at = nearestFirst.find((one) => sign * one > last || (each.length === 1 && sign * one === last));
    if (at === undefined && each.length > 0) return undefined;
    if (at !== undefined) last = sign * at;
    chosen.push(at);
  }
  return chosen;
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
