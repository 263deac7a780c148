// Reads the stored use of all proxy users, listing by listing, for exports with timestamps.

import { gauge } from '../../lib/family.ts';
import { METERED_TYPES } from '../../lib/product-types.ts';
import { bucketStart, DAY, HOUR, MINUTE, SECOND } from '../../lib/time.ts';
import type { Range } from '../../provider/time.ts';
import type { UsagePeriod } from '../../store/user-store.ts';
import type { ReadContext } from '../context.ts';
import type { HistoryRow, HistorySource, HistoryStream } from '../history-source.ts';
import type { ProxyUserOptions } from './options.ts';

/**
 * The longest period that counts as hourly. The period of an hour begins with the last listing before the hour, so it
 * may be longer than an hour. A longer period is a day, or a gap between two listings.
 */
const LONGEST_HOURLY_PERIOD_MS = 2 * HOUR;

/**
 * Listings that take several runs have periods with the same start, which get times that follow one another. Reading
 * starts earlier by more than they ever span, so that a period has the same time in every range.
 */
const SAME_START_MS = 10 * MINUTE;

const FAMILY = gauge(
  'proxywatch_history_proxy_users_usage_bytes',
  'Number of bytes that all proxy users together used from one listing to the next, from the stored history of proxy_user/search. Resets and corrections do not lower the value. Older periods are an hour or a day long.',
  ['product_type'],
);

export const userHistory: readonly HistorySource<ProxyUserOptions>[] = [
  { source: 'users', families: [{ family: FAMILY, isSum: true }], streams, read },
];

/** The next periods begin with the newest counted listing. */
async function streams({ account, store }: ReadContext<ProxyUserOptions>): Promise<HistoryStream[]> {
  const { countedStartedAt } = await store.users.listing(account.name);
  const settledUntil = Math.floor((countedStartedAt ?? 0) / SECOND) * SECOND;
  return METERED_TYPES.map((type) => ({ subject: type, labels: { product_type: type }, settledUntil }));
}

async function* read(
  { account, store }: ReadContext<ProxyUserOptions>,
  { subject }: HistoryStream,
  { from, to }: Range,
): AsyncGenerator<HistoryRow> {
  let last = Number.NEGATIVE_INFINITY;
  const begin = from - SAME_START_MS;
  // A period begins at most a day before its end.
  for (const period of await store.users.usage(account.name, begin - 1, to + 2 * DAY)) {
    const start = startOf(period, account.time_zone);
    if (period.productType !== subject || start < begin) continue;
    // Times are whole seconds, because readers drop fractions.
    last = Math.max(last + SECOND, Math.floor(start / SECOND) * SECOND);
    if (last >= to) return;
    if (last >= from)
      yield { at: last, end: Math.ceil(period.until / SECOND) * SECOND, values: [period.bytes] };
  }
}

/**
 * Returns the start of a period. A period belongs to the hour or day in which it ends, as in the store. A later rollup
 * therefore keeps it in its day, so that it is neither lost nor counted twice between two ranges of days.
 */
const startOf = ({ since, until }: UsagePeriod, zone: string): number =>
  Math.max(since, bucketStart(zone, until - 1, until - since <= LONGEST_HOURLY_PERIOD_MS ? HOUR : DAY));
