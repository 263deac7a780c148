// Defines the JSON of an invoice: what the store knows of a month of an account, and what it does not know.

import { z } from 'zod';
import { SOURCE_PAIRS } from '../../../store/reconciliation-store.ts';
import { account, count, currency, date, flag, orNull, text, time } from '../item.ts';
import { row } from '../ledger.ts';
import { day } from '../reconciliation.ts';
import { service } from '../services.ts';
import { accountUse, rankedUser } from '../users/user-use-json.ts';

const sums = { added_bytes: count, used_bytes: count, requests: orNull.count };

/** What can be unknown. */
export const INVOICE_PARTS = ['ledger', 'users', 'services', 'reconciliation', 'mobile'] as const;

const unknownPart = z.strictObject({
  part: z.enum(INVOICE_PARTS),
  message: text,
  dates: z.array(date).describe('The days that it is about. Empty if it is about the whole month'),
});

export const invoice = z
  .strictObject({
    account,
    month: text.describe('As `YYYY-MM`'),
    time_zone: text.describe('The account’s `time_zone`, in which the month begins and ends'),
    from: time,
    to: time.describe('End of the month, exclusive'),
    is_over: flag,
    ledger_read_at: orNull.time.describe(
      'Time of the newest complete listing of the ledger. While it is null, all sums of the ledger are unknown',
    ),
    ledger_read_after_end: flag.describe(
      'Whether this listing began at least three hours after the end of the month. Until then, rows of its last day grow',
    ),
    unread_rows: count.describe(
      'Rows of the ledger that proxywatch could not decode. The sums lack those that are of the month',
    ),
    ledgers_complete: flag.describe(
      'Whether every row of each ledger that is on was read, at least three hours after the end of the month',
    ),
    added_bytes: orNull.count,
    used_bytes: orNull.count,
    reasons: z
      .array(z.strictObject({ reason: text, ...sums }))
      .describe('Sums of the residential ledger by reason'),
    ledger_services: z
      .array(z.strictObject({ service_id: orNull.text, reason: text, ...sums }))
      .describe(
        'The same by service and reason, the first 1,000. `service_id` is null for rows of the whole account',
      ),
    ledger_service_count: count.describe(
      'Number of such sums, of which `ledger_services` has the first 1,000',
    ),
    late_rows: z
      .array(row)
      .describe(
        'Rows of the month that the provider added or changed after the end of the month, and more than three hours after the end of their day. The first 1,000',
      ),
    late_row_count: count.describe('Number of such rows, of which `late_rows` has the first 1,000'),
    mobile_added_bytes: orNull.count.describe(
      'Sums of the mobile ledger. Null if they are not known, and `unknown` says why',
    ),
    mobile_used_bytes: orNull.count,
    use: accountUse.nullable().describe('Bytes used by all proxy users. Null if `proxy_users` is off'),
    users: z.array(rankedUser).describe('The 1,000 users that used the most bytes, the largest first'),
    services: z
      .array(service)
      .describe(
        'Services that existed in the month, as the provider answered last, which may be after the month',
      ),
    currency,
    pairs: z
      .array(
        z.strictObject({
          pair: z.enum(SOURCE_PAIRS),
          ok_days: count,
          differing_days: count,
          unknown_days: count,
        }),
      )
      .describe(
        'Results of the daily comparisons of sources. A day is unknown if a source did not have all of it',
      ),
    differences: z.array(day).describe('The comparisons with more than 1% of the bytes unexplained'),
    unknown: z.array(unknownPart).describe('What is not known of the month'),
  })
  .meta({ id: 'Invoice' });

export type Invoice = z.output<typeof invoice>;
export type UnknownPart = z.output<typeof unknownPart>;
export type Unknown = readonly UnknownPart[];

export const unknown = <P extends string>(part: P, message: string, dates: readonly string[] = []) => ({
  ...{ part, message, dates: [...dates] },
});

/** An invoice lists at most as many users, late rows, and sums by service. A ranking of users has as many. */
export const MOST_LISTED = 1_000;

const MOST_NAMED = 5;

/** Names some of the ids. They come from the provider. */
export const named = (ids: readonly string[]): string =>
  [
    ids.slice(0, MOST_NAMED).join(', '),
    ...(ids.length > MOST_NAMED ? [`${ids.length - MOST_NAMED} more`] : []),
  ].join(' and ');
