// Words that the answers' schemas share. What is not known is null.

import { z } from 'zod';

export const time = z.iso.datetime();
export const date = z.iso.date();
/** Bytes, items and the like. */
export const count = z.int();
export const text = z.string();
export const flag = z.boolean();
export const amount = z.number();

/** A page of a list. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({
    data: z.array(item),
    next_cursor: text.nullable().describe('Of the next page; null on the last one'),
  });

export const account = text.describe('The configured name');

/** A share of 1. */
export const ratio = amount.min(0);
