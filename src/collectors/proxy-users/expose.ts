// Exposes proxy users and their quotas as samples, and reads the stored use of all users for exports with timestamps.

import { gauge, type SampleSink } from '../../lib/family.ts';
import { METERED_TYPES } from '../../lib/product-types.ts';
import { DAY, MINUTE, SECOND } from '../../lib/time.ts';
import type { Range } from '../../provider/time.ts';
import { type StoredUser, type UserDetails, usageTime } from '../../store/user-store.ts';
import type { ReadContext } from '../context.ts';
import type { HistoryRow, HistorySource, HistoryStream } from '../history-source.ts';
import type { ProxyUserOptions } from './options.ts';
import { isEligible, TopUsage, usedBytesOf } from './selection.ts';
import { canRepeat, type UserBlocks } from './user-blocks.ts';
import { userPages } from './user-pages.ts';
import { UserWriter } from './user-writer.ts';

/** With the blocks of the last rendering, it writes only the users that changed. */
export const exposeUsers = async (
  context: ReadContext<ProxyUserOptions>,
  sink: SampleSink,
  state?: { readonly blocks: UserBlocks },
): Promise<void> => {
  const { account, options, store } = context;
  const listing = await store.users.listing(account.name);
  if (listing.storedAt === null) return;
  const writer = new UserWriter(context, listing, await readTopThreshold(context), sink);
  const { blocks } = sink;
  if (state && blocks && canRepeat(options))
    await state.blocks.write({ context, writer, sink, blocks }, listing);
  else
    for await (const page of userPages(context, () => sink.drain())) {
      const details = await readMetadata(context, page);
      for (const user of page) writer.write(user, details.get(user.id));
    }
  writer.finish();
};

const readTopThreshold = async (context: ReadContext<ProxyUserOptions>): Promise<number> => {
  const { select } = context.options;
  const top = new TopUsage(select.top);
  if (select.top > 0) {
    for await (const page of userPages(context)) {
      for (const user of page) if (isEligible(user, select)) top.add(usedBytesOf(user));
    }
  }
  return top.threshold();
};

/** The details are read only if labels need them, because most daemons do without. */
const readMetadata = async (
  { account, options, store }: ReadContext<ProxyUserOptions>,
  page: readonly StoredUser[],
): Promise<ReadonlyMap<string, UserDetails>> =>
  options.labels_from_metadata.length === 0
    ? new Map()
    : store.users.details(
        account.name,
        page.map(({ id }) => id),
      );

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
