// Reads the residential data ledger (residential_ledger/search).

import { z } from 'zod';
import { DAY } from '../../lib/time.ts';
import type { ProviderClient } from '../client.ts';
import { type ListingOptions, type Page, readPages } from '../pages.ts';
import { datetime, itemDecoder, nullable, numericId, textOrNumber, wholeNumber } from '../schema.ts';
import { formatLocal, instantOf, parseLocal } from '../time.ts';

export interface LedgerEntry {
  readonly id: string;
  readonly customerId: number | null;
  readonly serviceId: string | null;
  readonly adjustmentId: number | null;
  /** An open set: `usage`, `top_up`, `adjustment` and more; null if not given. */
  readonly reason: string | null;
  /** As given; the documentation does not clearly say which sign `usage` has. */
  readonly bytes: number;
  /** Null if not given; additions have none. */
  readonly requests: number | null;
  /**
   * `YYYY-MM-DD` in the provider's time zone. If it is not given, the date of the entry's creation is used, then that of
   * its last change. Null if the entry has no time at all.
   */
  readonly periodDate: string | null;
  /** The end of that day (ms). Null if at most the last change is known, because that may be long after the period. */
  readonly periodEnd: number | null;
  readonly isDateGiven: boolean;
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
}

/** Reads the whole ledger, which only grows. Throws ProviderError. */
export const readLedger = (
  client: ProviderClient,
  { timeZone, signal, progress }: ListingOptions,
): AsyncGenerator<Page<LedgerEntry>, void, undefined> =>
  readPages(client, 'residential_ledger/search', {
    idField: 'residential_ledger_id',
    decode: itemDecoder(entryIn(timeZone)),
    signal,
    progress,
  });

/** A date, or a datetime at midnight as some APIs write dates. Its offset says nothing about the day. */
const date = z
  .string()
  .refine((text) => (parseLocal(text) ?? Number.NaN) % DAY === 0)
  .transform((text) => text.slice(0, 'YYYY-MM-DD'.length));

// Bytes and an id are required, because the balance would be wrong without them. Other fields may be invalid or missing.
const entryIn = (timeZone: string): z.ZodType<LedgerEntry> =>
  z
    .object({
      residential_ledger_id: textOrNumber.pipe(z.string().min(1)),
      customer_id: nullable(numericId),
      service_id: nullable(textOrNumber),
      service_adjustment_id: nullable(numericId),
      residential_ledger_reason: nullable(z.string().min(1)),
      residential_ledger_bytes: wholeNumber,
      residential_ledger_requests: nullable(wholeNumber),
      residential_ledger_period_date: nullable(date),
      residential_ledger_creation_datetime: datetime(timeZone),
      residential_ledger_last_update_datetime: datetime(timeZone),
    })
    .transform((entry) => ({
      id: entry.residential_ledger_id,
      customerId: entry.customer_id,
      serviceId: entry.service_id,
      adjustmentId: entry.service_adjustment_id,
      reason: entry.residential_ledger_reason,
      bytes: entry.residential_ledger_bytes,
      requests: entry.residential_ledger_requests,
      ...periodOf(entry, timeZone),
      createdAt: entry.residential_ledger_creation_datetime,
      updatedAt: entry.residential_ledger_last_update_datetime,
    }));

interface DatedEntry {
  readonly residential_ledger_period_date: string | null;
  readonly residential_ledger_creation_datetime: number | null;
  readonly residential_ledger_last_update_datetime: number | null;
}

type Period = Pick<LedgerEntry, 'periodDate' | 'periodEnd' | 'isDateGiven'>;

const periodOf = (entry: DatedEntry, timeZone: string): Period => {
  const given = entry.residential_ledger_period_date;
  const dateOf = (at: number | null): string | null => (at === null ? null : localDate(at, timeZone));
  const exactDate = given ?? dateOf(entry.residential_ledger_creation_datetime);
  return {
    periodDate: exactDate ?? dateOf(entry.residential_ledger_last_update_datetime),
    periodEnd: exactDate === null ? null : endOfDate(exactDate, timeZone),
    isDateGiven: given !== null,
  };
};

/** Returns the date (`YYYY-MM-DD`) of an instant (ms) in the zone. */
export const localDate = (at: number, timeZone: string): string =>
  formatLocal(at, timeZone).slice(0, 'YYYY-MM-DD'.length);

const endOfDate = (date: string, timeZone: string): number =>
  instantOf((parseLocal(date) ?? 0) + DAY, timeZone);
