// Reads the summaries of logs (log_summary/search): what each proxy user used of each host name on a day, and what is charged.

import { DAY } from '../../lib/time.ts';
import type { ProviderClient } from '../client.ts';
import { type ListingOptions, type Pages, readPages } from '../pages.ts';
import { integerOf, textOf, withoutInvalid } from '../schema.ts';
import { formatLocal, instantIn, parseLocal } from '../time.ts';
import { localDate } from './ledger.ts';

/** The numbers of a summary, in the order of a stored row. A number is null if it was not given. */
export const USE_FIELDS = ['bytes', 'requests', 'charged_bytes', 'charged_requests'] as const;

export type LogSummary = NonNullable<ReturnType<typeof summaryOf>>;

/** What a row without a network belongs to. */
const UNKNOWN_NETWORK = 'unknown';

/**
 * Reads the summaries of a day (`YYYY-MM-DD` in the provider's zone), or those that were updated at `since` (ms) or later. The
 * rows of the present day grow; those of other days can change too. Whether the provider knows the filter, and whether
 * `log_summary_last_update_datetime` moves then, is not documented. Throws ProviderError.
 */
export const readLogSummaries = (
  client: ProviderClient,
  date: string,
  { timeZone, signal, progress, since }: ListingOptions & { readonly since?: number | undefined },
): Pages<LogSummary> => {
  const read = {
    date: readOnce((text) => dateIn(text, timeZone)),
    time: readOnce((text) => instantIn(text, timeZone) ?? null),
  };
  return readPages(client, 'log_summary/search', {
    query: {
      min_log_summary_period: `${date} 00:00:00`,
      max_log_summary_period: `${date} 23:59:59`,
      min_log_summary_last_update_datetime: since === undefined ? undefined : formatLocal(since, timeZone),
    },
    idField: 'log_summary_id',
    decode: (item) => summaryOf(item, read),
    signal,
    progress,
  });
};

interface Readers {
  readonly date: (text: string) => string | null;
  readonly time: (text: string) => number | null;
}

const summaryOf = (item: unknown, read: Readers) => {
  if (typeof item !== 'object' || item === null) return null;
  const row = item as Readonly<Record<string, unknown>>;
  const { log_summary_id: id, log_summary_period: day, log_summary_last_update_datetime: updated } = row;
  if (typeof id !== 'string' && typeof id !== 'number') return null;
  return {
    id: String(id),
    /** `YYYY-MM-DD` in the provider's zone; null if not given. */
    date: (typeof day === 'string' ? read.date(day) : null) ?? withoutInvalid(day),
    /** ms; null if not given, or not a datetime: the use is known without it. */
    updatedAt: typeof updated === 'string' ? read.time(updated) : null,
    user: textOf(row.proxy_user_id) ?? '',
    network: textOf(row.log_summary_network) ?? UNKNOWN_NETWORK,
    /**
     * Empty if the provider has dropped it, as it does after 90 days. `*.host.tld` stands for several names, which the
     * provider summarises if there are many; when it does is not documented.
     */
    hostname: textOf(row.log_summary_hostname) ?? '',
    values: USE_FIELDS.map((field) => integerOf(row[`log_summary_${field}`], 0)),
  };
};

/** Reads a text once while the next rows have the same. */
const readOnce = <T>(read: (text: string) => T): ((text: string) => T) => {
  let last: { readonly text: string; readonly value: T } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, value: read(text) };
    return last.value;
  };
};

/** A midnight is that of a date, and its offset says nothing about the day. */
const dateIn = (text: string, timeZone: string): string | null => {
  const [local, at] = [parseLocal(text), instantIn(text, timeZone)];
  if (local === undefined || at === undefined) return null;
  return local % DAY === 0 ? text.slice(0, 'YYYY-MM-DD'.length) : localDate(at, timeZone);
};
