// Exposes proxy users and their quotas from the store as samples.

import type { SampleSink } from '../../lib/family.ts';
import type { StoredUser, UserDetails } from '../../store/user-store.ts';
import type { ReadContext } from '../context.ts';
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
