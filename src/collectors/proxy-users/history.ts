// The stored history of what all proxy users used, listing by listing.

import { gauge } from '../../lib/family.ts';
import { METERED_TYPES, type MeteredType } from '../../lib/product-types.ts';
import { bucketStart, DAY, HOUR, SECOND } from '../../lib/time.ts';
import type { Range } from '../../provider/time.ts';
import type { UsagePeriod } from '../../store/user-store.ts';
import type { ReadContext } from '../context.ts';
import type { HistoryFamily, HistorySample } from '../history.ts';
import type { ProxyUserOptions } from './options.ts';

/** Longer is a day, or a gap between two listings: an hour's begins with the last listing before it. */
const LONGEST_HOUR = 2 * HOUR;

const usage: HistoryFamily<ProxyUserOptions> = {
  family: gauge(
    'proxywatch_history_proxy_users_usage_bytes',
    'Bytes that all proxy users together used from one listing to the next, over resets and corrections, from the stored history of proxy_user/search; older periods are an hour or a day wide.',
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
    // Whole seconds, as readers cut fractions off; two listings of one second must not share it.
    last = Math.max(last + SECOND, Math.floor(start / SECOND) * SECOND);
    yield { labels, at: last, value: period.bytes };
  }
}

/**
 * A period belongs to the hour or day in which it ends, as in the store: what is rolled up later stays in its day,
 * and neither is lost nor counts twice between two ranges of days.
 */
const startOf = ({ since, until }: UsagePeriod, zone: string): number =>
  Math.max(since, bucketStart(zone, until - 1, until - since <= LONGEST_HOUR ? HOUR : DAY));

export const userHistory = [usage];
