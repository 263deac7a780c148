// The residential data ledger: residential_ledger/search.

import { z } from 'zod';
import { DAY } from '../lib/time.ts';
import type { ProviderClient } from './client.ts';
import { type ListingOptions, type Page, readPages } from './pages.ts';
import { datetime, itemDecoder, nullable } from './schema.ts';
import { instantOf, parseLocal } from './time.ts';

export interface LedgerEntry {
  readonly id: string;
  readonly customerId: number | null;
  readonly serviceId: string | null;
  readonly adjustmentId: number | null;
  /** An open set: `usage`, `top_up`, `adjustment` and more. */
  readonly reason: string;
  /** As given: which sign `usage` has is not documented for sure. */
  readonly bytes: number;
  /** Null when not given: additions have none. */
  readonly requests: number | null;
  /** `YYYY-MM-DD` in the provider's time zone, and the end of that day (ms). */
  readonly periodDate: string;
  readonly periodEnd: number;
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
}

/** The whole ledger, which only ever grows. Throws ProviderError. */
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

const entryIn = (timeZone: string): z.ZodType<LedgerEntry> =>
  z
    .object({
      residential_ledger_id: z.string().min(1),
      customer_id: nullable(z.int()),
      service_id: nullable(z.string()),
      // Not needed: an odd one is no reason to go without the row.
      service_adjustment_id: nullable(z.int()).catch(null),
      residential_ledger_reason: z.string(),
      residential_ledger_bytes: z.int(),
      residential_ledger_requests: nullable(z.int()),
      residential_ledger_period_date: z.iso.date(),
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
      periodDate: entry.residential_ledger_period_date,
      periodEnd: endOfDate(entry.residential_ledger_period_date, timeZone),
      createdAt: entry.residential_ledger_creation_datetime,
      updatedAt: entry.residential_ledger_last_update_datetime,
    }));

const endOfDate = (date: string, timeZone: string): number =>
  instantOf((parseLocal(date) ?? 0) + DAY, timeZone);
