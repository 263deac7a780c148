// Reads the stored use of all proxy users, listing by listing, for exports with timestamps.

import { gauge } from '../../lib/family.ts';
import { METERED_TYPES } from '../../lib/product-types.ts';
import { DAY, MINUTE, SECOND } from '../../lib/time.ts';
import type { Range } from '../../provider/time.ts';
import { usageTime } from '../../store/user-store.ts';
import type { ReadContext } from '../context.ts';
import type { HistoryRow, HistorySource, HistoryStream } from '../history-source.ts';
import type { ProxyUserOptions } from './options.ts';

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
    const start = usageTime(period, account.time_zone);
    if (period.productType !== subject || start < begin) continue;
    last = Math.max(last + SECOND, start);
    if (last >= to) return;
    if (last >= from)
      yield { at: last, end: Math.ceil(period.until / SECOND) * SECOND, values: [period.bytes] };
  }
}
