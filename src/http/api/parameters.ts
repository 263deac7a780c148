// Defines schemas of query parameters, whose values are missing, one text or several texts: cursors, filters and times.

import { z } from 'zod';
import { DAY, zoneOffset } from '../../lib/time.ts';
import type { AccountView } from '../daemon-view.ts';
import { ApiError } from './route.ts';

/** The last item of a page of a list. */
export interface Position {
  readonly account: string;
  readonly id: string;
}

export const encodeCursor = ({ account, id }: Position): string =>
  Buffer.from(`${account}\n${id}`).toString('base64url');

/** Returns null for a cursor that encodeCursor did not make: encoding its position again gives another text. */
export const decodeCursor = (cursor: string): Position | null => {
  const [account = '', ...id] = Buffer.from(cursor, 'base64url').toString().split('\n');
  const position = { account, id: id.join('\n') };
  return encodeCursor(position) === cursor ? position : null;
};

const MAX_LIMIT = 1_000;

const wholeNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;

/** Accepts a whole number from 1. */
export const numberUpTo = (max: number) => {
  const error = `expected one whole number from 1 to ${max}`;
  return z.preprocess(wholeNumber, z.int(error).min(1, error).max(max, error));
};

export const limit = numberUpTo(MAX_LIMIT).default(100).describe('Number of items on a page');

const CURSOR = 'expected an unchanged next_cursor of an answer';

export const cursor = z
  .string(CURSOR)
  .refine((text) => decodeCursor(text) !== null, CURSOR)
  .optional()
  .describe('The `next_cursor` of the previous page, unchanged');

const asList = (value: unknown): unknown => (value === undefined || Array.isArray(value) ? value : [value]);

export const account = z
  .preprocess(asList, z.array(z.string()))
  .default([])
  .describe('Only this account. You can repeat the parameter. The default is all accounts');

export const q = z
  .string('expected one text')
  .optional()
  .describe('Only items with this text in one of their names, ids or places, in upper or lower case');

/** Accepts these names, and with a minus before them. */
export const sortBy = (names: readonly string[], byDefault: string, text: string) =>
  oneOf(names.flatMap((name) => [name, `-${name}`]) as [string, ...string[]])
    .default(byDefault)
    .describe(`Order of the list. A minus before the name reverses the order. ${text}`);

export const oneOf = <const T extends readonly [string, ...string[]]>(words: T) =>
  z.enum(words, { error: `expected one of ${words.join(', ')}` });

export const format = oneOf(['json', 'csv'])
  .default('json')
  .describe('`csv`: the items as CSV, all from `cursor` on unless you set `limit`');

/** The field of lists that answers with the values to choose from. */
export const filterValues = {
  filter_values: z
    .record(z.string(), z.array(z.string()))
    .describe(
      'By filter: the values that the items of the requested accounts have, whatever the filters are',
    ),
};

/** The parameters of every list with pages. */
export const page = { account, limit, cursor, format } as const;

export const someOf = <const T extends readonly [string, ...string[]]>(words: T) =>
  z.preprocess(asList, z.array(oneOf(words))).default([]);

/** Accepts any number of texts. */
export const texts = z.preprocess(asList, z.array(z.string())).default([]);

export const singleText = z.string('expected one value').optional();

const flag = z.preprocess(
  (value) => (value === 'true' || value === 'false' ? value === 'true' : value),
  z.boolean('expected true or false'),
);

export const booleanFlag = flag.default(false);

/** Accepts true, false or nothing. */
export const optionalFlag = flag.optional();

export const time = z.iso
  .datetime({ offset: true, error: 'expected one time such as 2026-03-01T12:00:00Z' })
  .optional();

const DATE = 'expected one date such as 2026-03-01';

/** Accepts dates of this century, because a range of millennia would be read day by day. */
export const date = z.iso
  .date(DATE)
  .refine((text) => text.startsWith('20'), DATE)
  .optional();

interface Requested {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The first and the last date, as `YYYY-MM-DD`. */
export type DateRange = Readonly<Record<keyof Requested, string>>;

const DEFAULT_DAYS = 30;

export const dateQuery = {
  from: date.describe(`First day. The default is ${DEFAULT_DAYS - 1} days before \`to\``),
  to: date.describe('Last day. The default is today'),
} as const;

/** Throws ApiError if the first of the requested dates is after the last one. */
export const checkDates = ({ from, to }: Requested): void => {
  if (from !== undefined && to !== undefined && from > to)
    throw new ApiError(400, 'from: expected a date that is not after to');
};

/** Returns the requested dates, by default the last days in the account's zone. */
export const dateRangeOf = (requested: Requested, { settings, clock }: AccountView): DateRange => {
  const now = clock.now();
  const to = requested.to ?? dateOf(now + zoneOffset(settings.time_zone, now));
  return { to, from: requested.from ?? addDays(to, 1 - DEFAULT_DAYS) };
};

export const addDays = (date: string, days: number): string => dateOf(Date.parse(date) + days * DAY);

/** Returns the date of an instant in UTC, or of a local time given as if it were UTC. */
const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Times in ms, from `from` to before `to`. */
export type TimeRange = Readonly<Record<keyof Requested, number>>;

/** Returns the requested times, by default those of the last `defaultMs`. An empty range is a mistake: throws ApiError. */
export const timeRangeOf = (requested: Requested, now: number, defaultMs: number): TimeRange => {
  const { from, to = now } = timesOf(requested);
  const range = { from: from ?? to - defaultMs, to };
  checkTimes(range);
  return range;
};

/** Returns the times of a list of events; undefined has no limit. Throws ApiError for an empty period. */
export const periodOf = (requested: Requested) => {
  const period = timesOf(requested);
  checkTimes(period);
  return period;
};

const timesOf = ({ from, to }: Requested): Record<keyof Requested, number | undefined> => ({
  from: from === undefined ? undefined : Date.parse(from),
  to: to === undefined ? undefined : Date.parse(to),
});

/** Its empty list would look like an answer. */
const checkTimes = ({ from, to }: ReturnType<typeof timesOf>): void => {
  if (from !== undefined && to !== undefined && from >= to)
    throw new ApiError(400, 'from: expected a time before to');
};
