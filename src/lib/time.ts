// Defines units of time in milliseconds, and converts between UTC and local time in named zones.

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A half-open range of instants (ms). */
export interface Range {
  readonly from: number;
  readonly to: number;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

const formatterOf = (zone: string): Intl.DateTimeFormat => {
  let formatter = formatters.get(zone);
  if (!formatter) {
    const parts = {
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    } as const;
    formatter = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', ...parts });
    formatters.set(zone, formatter);
  }
  return formatter;
};

/** The hours and days of every zone begin on a quarter of an hour. */
export const QUARTER = 15 * MINUTE;
/** An offset is looked up once per quarter of an hour, because clocks change only then and a lookup takes 10 µs. */
const MAX_KNOWN_OFFSETS = 50_000;
const knownOffsets = new Map<string, number>();
/** Earlier instants have the offset of this one. Intl writes the years before our era like those after it. */
const FIRST_OFFSET_AT = Date.UTC(1900, 0);

/** Returns the milliseconds to add to UTC for local time in `zone` at the instant `at`. Throws RangeError if the zone is unknown. */
export const zoneOffset = (zone: string, at: number): number => {
  if (zone === 'UTC') return 0;
  const quarter = Math.floor(Math.max(at, FIRST_OFFSET_AT) / QUARTER);
  const key = `${zone} ${quarter}`;
  const known = knownOffsets.get(key);
  if (known !== undefined) return known;
  if (knownOffsets.size >= MAX_KNOWN_OFFSETS) knownOffsets.clear();
  const offset = lookUpOffset(zone, quarter * QUARTER);
  knownOffsets.set(key, offset);
  return offset;
};

const lookUpOffset = (zone: string, at: number): number => {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatterOf(zone).formatToParts(at)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - at;
};

/** Returns the instants at which clocks in `zone` show the local time `local` (given as if it were UTC): 0, 1 or 2, ascending. */
export const instantsOf = (zone: string, local: number): number[] => {
  const before = local - zoneOffset(zone, local - DAY);
  const later = local - zoneOffset(zone, local + DAY);
  const isShown = (at: number) => at + zoneOffset(zone, at) === local;
  if (before === later) return isShown(before) ? [before] : [];
  return [before, later].filter(isShown).sort((a, b) => a - b);
};

/** Returns the instant at which clocks in `zone` go forward and skip the local time `local` (given as if it were UTC). */
export const changeIn = (zone: string, local: number): number => {
  const [before, later] = [zoneOffset(zone, local - DAY), zoneOffset(zone, local + DAY)];
  let at = Math.ceil((local - later) / QUARTER) * QUARTER;
  while (zoneOffset(zone, at) === before) at += QUARTER;
  return at;
};

/** Returns the first instant after `from`, and not after `to`, at which clocks in `zone` change. The two are at most a day apart. */
export const changeBetween = (zone: string, from: number, to: number): number | undefined => {
  const before = zoneOffset(zone, from);
  if (zoneOffset(zone, to) === before) return undefined;
  let [low, high] = [Math.floor(from / QUARTER), Math.floor(to / QUARTER)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zoneOffset(zone, middle * QUARTER) === before) low = middle;
    else high = middle;
  }
  return high * QUARTER;
};

/**
 * Returns the start of the bucket that contains `at`. Buckets have `width` milliseconds (at most a day) and start at
 * local boundaries of `zone`. A bucket in which clocks change is shorter or longer. If the change skips a boundary, the
 * bucket starts at the change.
 */
export const bucketStart = (zone: string, at: number, width: number): number => {
  const local = Math.floor((at + zoneOffset(zone, at)) / width) * width;
  const [first, second] = instantsOf(zone, local).filter((start) => start <= at);
  if (first === undefined) return local - zoneOffset(zone, local - DAY);
  // Clocks that go back by a whole bucket or more start a second one. If they go back by less, the first one is longer.
  return second !== undefined && second - first >= width ? second : first;
};

/** Returns the end of the bucket that starts at `start`, which is the start of the next one. */
export const bucketEnd = (zone: string, start: number, width: number): number =>
  // The extra half bucket makes sure to land inside the next one, because a local day may have 23 or 25 hours.
  bucketStart(zone, start + 1.5 * width, width);

/** Writes a time (ms) for people, to the minute, in UTC, such as `2026-07-06 12:01 UTC`. */
export const minuteText = (at: number): string =>
  `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** Writes a time (ms) for people, to the second, in UTC, such as `2026-07-06T12:01:30Z`. */
export const secondText = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
