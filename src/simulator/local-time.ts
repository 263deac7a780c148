// Formats and parses datetimes in the provider's local time, and computes the boundaries of its buckets.

import { DAY, HOUR, instantsOf, MINUTE, zoneOffset } from '../lib/time.ts';

export const INTERVALS = ['minute', 'hour', 'day', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

const DATE = /^(\d{4})-(\d{2})-(\d{2})(?: (\d{2}):(\d{2}):(\d{2}))?$/;

/** How answers write datetimes: as in the documentation's examples, with a `T`, in UTC, with an offset, or with microseconds. */
export const DATETIME_FORMS = ['plain', 't', 'utc', 'offset', 'fraction'] as const;
export type DatetimeForm = (typeof DATETIME_FORMS)[number];

export class LocalTime {
  readonly #zone: string;
  readonly #form: DatetimeForm;

  constructor(zone: string, form: DatetimeForm = 'plain') {
    this.#zone = zone;
    this.#form = form;
  }

  /** Formats a time (ms) as answers write it. */
  datetime(at: number): string {
    if (this.#form === 'utc') return `${formatLocal(at).replace(' ', 'T')}Z`;
    const offset = zoneOffset(this.#zone, at);
    const text = formatLocal(at + offset);
    if (this.#form === 't') return text.replace(' ', 'T');
    if (this.#form === 'offset') return `${text.replace(' ', 'T')}${offsetText(offset)}`;
    return this.#form === 'fraction' ? `${text}.${String(at % 1_000).padStart(3, '0')}000` : text;
  }

  /** Formats a time (ms) as `YYYY-MM-DD`. */
  date(at: number): string {
    return formatLocal(at + zoneOffset(this.#zone, at)).slice(0, 10);
  }

  /** Formats a time (ms) as `HH:MM`. */
  timeOfDay(at: number): string {
    return formatLocal(at + zoneOffset(this.#zone, at)).slice(11, 16);
  }

  /**
   * Returns the times (ms) of a datetime: two different ones in the repeated hour. A date stands for its midnight.
   * Returns undefined if the text is malformed. A time that the clocks skip is read with the offset before the gap.
   */
  parse(text: string): { first: number; last: number; isDate: boolean } | undefined {
    const match = DATE.exec(text);
    if (!match) return undefined;
    const [, year, month, day, ...time] = match;
    const [hour = 0, minute = 0, second = 0] = time.map((part) => Number(part ?? 0));
    const local = Date.UTC(Number(year), Number(month) - 1, Number(day), hour, minute, second);
    // A date that does not exist, such as 30 February, is formatted as another date.
    if (!formatLocal(local).startsWith(text)) return undefined;
    const instants = instantsOf(this.#zone, local);
    const first = instants[0] ?? this.#instant(local);
    return { first, last: instants.at(-1) ?? first, isDate: time[0] === undefined };
  }

  bucketStart(interval: Interval, at: number): number {
    if (interval === 'minute') return Math.floor(at / MINUTE) * MINUTE;
    const offset = zoneOffset(this.#zone, at);
    if (interval === 'hour') return Math.floor((at + offset) / HOUR) * HOUR - offset;
    const local = new Date(at + offset);
    return this.#instant(
      Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), interval === 'day' ? local.getUTCDate() : 1),
    );
  }

  nextBucket(interval: Interval, start: number): number {
    if (interval === 'minute') return start + MINUTE;
    if (interval === 'hour') return start + HOUR;
    // 1.5 days or 40 days after the start is within the next bucket, even if the clocks change in between.
    return this.bucketStart(interval, start + (interval === 'day' ? 1.5 * DAY : 40 * DAY));
  }

  #instant(local: number): number {
    return instantsOf(this.#zone, local)[0] ?? local - zoneOffset(this.#zone, local - DAY);
  }
}

/** Formats an offset (ms) as `+HH:MM`. */
const offsetText = (offset: number): string =>
  `${offset < 0 ? '-' : '+'}${new Date(Math.abs(offset)).toISOString().slice(11, 16)}`;

const formatLocal = (local: number): string => new Date(local).toISOString().slice(0, 19).replace('T', ' ');
