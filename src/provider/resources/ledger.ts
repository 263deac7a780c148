// Reads the residential and the mobile data ledger (residential_ledger/search, mobile_ledger/search), whose rows have the same fields.

import { z } from 'zod';
import type { MeteredType } from '../../lib/product-types.ts';
import { DAY } from '../../lib/time.ts';
import type { ProviderClient } from '../client.ts';
import { mayBeAbsent, ProviderError } from '../errors.ts';
import { type ListingOptions, type Pages, readPages } from '../pages.ts';
import { datetime, fields, itemDecoder, nullable, numericId, textOrNumber, wholeNumber } from '../schema.ts';
import { formatLocal, instantOf, parseLocal } from '../time.ts';

export type LedgerEntry = z.output<ReturnType<typeof entryIn>>;

/** Reads the whole ledger of the product type, which only grows. Throws ProviderError. */
export async function* readLedger(
  client: ProviderClient,
  type: MeteredType,
  { timeZone, signal, progress }: ListingOptions,
): Pages<LedgerEntry> {
  const [idField, decode] = [`${type}_ledger_id`, itemDecoder(entryIn(type, timeZone))];
  const pages = readPages(client, `${type}_ledger/search`, { idField, decode, signal, progress });
  let isRead = false;
  try {
    for await (const page of pages) {
      isRead = true;
      yield page;
    }
  } catch (error) {
    // Many accounts have no mobile services. All have the residential ledger, by the specification.
    if (type === 'mobile' && !isRead && error instanceof ProviderError && mayBeAbsent(error))
      error.message += '; if this account has no mobile services, turn off mobile_ledger';
    throw error;
  }
}

/** A date, or a datetime at midnight as some APIs write dates. Its offset says nothing about the day. */
const date = z
  .string()
  .refine((text) => (parseLocal(text) ?? Number.NaN) % DAY === 0)
  .transform((text) => text.slice(0, 'YYYY-MM-DD'.length));

// Bytes and an id are required, because the balance would be wrong without them. Other fields may be invalid or missing.
const entryIn = (type: MeteredType, timeZone: string) =>
  fields({
    id: [`${type}_ledger_id`, textOrNumber.pipe(z.string().min(1))],
    customerId: ['customer_id', nullable(numericId)],
    serviceId: ['service_id', nullable(textOrNumber)],
    adjustmentId: ['service_adjustment_id', nullable(numericId)],
    /** An open set: `usage`, `top_up`, `adjustment` and more; null if not given. */
    reason: [`${type}_ledger_reason`, nullable(z.string().min(1))],
    /** As given; the documentation does not clearly say which sign `usage` has. */
    bytes: [`${type}_ledger_bytes`, wholeNumber],
    /** Null if not given; additions have none. */
    requests: [`${type}_ledger_requests`, nullable(wholeNumber)],
    givenDate: [`${type}_ledger_period_date`, nullable(date)],
    createdAt: [`${type}_ledger_creation_datetime`, datetime(timeZone)],
    updatedAt: [`${type}_ledger_last_update_datetime`, datetime(timeZone)],
  }).transform(({ givenDate, ...entry }) => {
    const dateOf = (at: number | null): string | null => (at === null ? null : localDate(at, timeZone));
    const exactDate = givenDate ?? dateOf(entry.createdAt);
    return {
      ...entry,
      /**
       * `YYYY-MM-DD` in the provider's time zone. If it is not given, the date of the entry's creation is used, then that of
       * its last change. Null if the entry has no time at all.
       */
      periodDate: exactDate ?? dateOf(entry.updatedAt),
      /** The end of that day (ms). Null if at most the last change is known, because that may be long after the period. */
      periodEnd: exactDate === null ? null : endOfDate(exactDate, timeZone),
      isDateGiven: givenDate !== null,
    };
  });

/** Returns the date (`YYYY-MM-DD`) of an instant (ms) in the zone. */
export const localDate = (at: number, timeZone: string): string =>
  formatLocal(at, timeZone).slice(0, 'YYYY-MM-DD'.length);

const endOfDate = (date: string, timeZone: string): number =>
  instantOf((parseLocal(date) ?? 0) + DAY, timeZone);
