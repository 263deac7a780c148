// Defines types that the schemas of answers share. Unknown values are null.

import { z } from 'zod';

export const time = z.iso.datetime();
export const date = z.iso.date();
/** A number of bytes, items and so on. */
export const count = z.int();
export const text = z.string();
export const flag = z.boolean();
export const amount = z.number();

/** A page of a list. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({
    data: z.array(item),
    next_cursor: text.nullable().describe('Cursor of the next page, or null on the last page'),
  });

/** A page of a list whose items are counted. */
export const countedPageOf = <T extends z.ZodType>(item: T) =>
  pageOf(item).extend({ total: count.describe('Number of items that match, on all pages') });

export const account = text.describe('Configured name of the account');

export const currency = text.describe(
  'Currency of the account’s amounts of money, as a code of ISO 4217. The setting `currency` sets it',
);

/** A ratio; 1 is the whole. */
export const ratio = amount.min(0);
