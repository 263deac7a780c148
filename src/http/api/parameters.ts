// Defines schemas of query parameters, whose values are missing, one text or several texts.

import { z } from 'zod';
import { decodeCursor } from './page.ts';

const MAX_LIMIT = 1_000;
const LIMIT = `expected one whole number from 1 to ${MAX_LIMIT}`;

const wholeNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;

export const limit = z
  .preprocess(wholeNumber, z.int(LIMIT).min(1, LIMIT).max(MAX_LIMIT, LIMIT))
  .default(100)
  .describe('Number of items on a page');

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

/** Accepts one of these words. */
export const oneOf = <const T extends readonly [string, ...string[]]>(words: T) =>
  z.enum(words, { error: `expected one of ${words.join(', ')}` });

export const format = oneOf(['json', 'csv'])
  .default('json')
  .describe('`csv`: the items as CSV, all from `cursor` on unless you set `limit`');

/** The parameters of every list with pages. */
export const page = { account, limit, cursor, format } as const;

/** Accepts any number of these words. */
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
