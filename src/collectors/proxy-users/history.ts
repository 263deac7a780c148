// Reads the stored use of all proxy users, listing by listing, for backfill.

import { gauge } from '../../lib/family.ts';
import { METERED_TYPES, type MeteredType } from '../../lib/product-types.ts';
import { bucketStart, DAY, HOUR, SECOND } from '../../lib/time.ts';
import type { Range } from '../../provider/time.ts';
import type { UsagePeriod } from '../../store/user-store.ts';
import type { ReadContext } from '../context.ts';
import type { HistoryFamily, HistorySample } from '../history.ts';
import type { ProxyUserOptions } from './options.ts';

/**
 * The longest period that counts as hourly. The period of an hour begins with the last listing before the hour, so it
 * may be longer than an hour. A longer period is a day, or a gap between two listings.
 */
const LONGEST_HOURLY_PERIOD_MS = 2 * HOUR;

const usage: HistoryFamily<ProxyUserOptions> = {
  family: gauge(
    'proxywatch_history_proxy_users_usage_bytes',
    'Number of bytes that all proxy users together used from one listing to the next, from the stored history of proxy_user/search. Resets and corrections do not lower the value. Older periods are an hour or a day long.',
    ['product_type'],
  ),
  async *read(context, range) {
    for (const productType of METERED_TYPES) yield* samplesOf(context, range, productType);
  },
};

async function* samplesOf(
  { account, store }: ReadContext<ProxyUserOptions>,
  { from, to }: Range,
  productType: MeteredType,
): AsyncGenerator<HistorySample> {
  const labels = { product_type: productType };
  let last = Number.NEGATIVE_INFINITY;
  const periods = await store.users.usage(account.name, from - 1, Number.MAX_SAFE_INTEGER);
  for (const period of periods) {
    const start = startOf(period, account.time_zone);
    if (period.productType !== productType || start < from || start >= to) continue;
    // Times are whole seconds, because readers drop fractions. Two listings in one second get different times.
    last = Math.max(last + SECOND, Math.floor(start / SECOND) * SECOND);
    yield { labels, at: last, value: period.bytes };
  }
}

/**
 * Returns the start of a period. A period belongs to the hour or day in which it ends, as in the store. A later rollup
 * therefore keeps it in its day, so that it is neither lost nor counted twice between two ranges of days.
 */
const startOf = ({ since, until }: UsagePeriod, zone: string): number =>
  Math.max(since, bucketStart(zone, until - 1, until - since <= LONGEST_HOURLY_PERIOD_MS ? HOUR : DAY));

export const userHistory = [usage];
