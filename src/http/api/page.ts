// Serves long lists in pages, ordered by account and id, so that a cursor stays valid when items are added or removed.

import { setImmediate } from 'node:timers/promises';
import type { LazyItem } from '../../collectors/proxy-tests/summaries.ts';

export interface Position {
  readonly account: string;
  readonly id: string;
}

export interface PageRequest {
  /** Names of known accounts, each once, in order. */
  readonly accounts: readonly string[];
  readonly limit: number;
  /** The last item of the previous page; null for the first page. */
  readonly after: Position | null;
}

export interface Page<T> {
  readonly items: readonly { readonly account: string; readonly item: T }[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** Returns up to `limit` items of an account in order: those after the id `after`, or the first ones if it is null. */
export type ListAfter<T> = (
  account: string,
  after: string | null,
  limit: number,
) => Promise<readonly LazyItem<T>[]>;

/** Lists the items after the request's position, and reads only those on the page. */
export const readPage = async <T>(
  { accounts, limit, after }: PageRequest,
  listAfter: ListAfter<T>,
): Promise<Page<T>> => {
  const following: { account: string; listed: LazyItem<T> }[] = [];
  for (const account of accounts) {
    if (following.length > limit) break;
    if (after && account < after.account) continue;
    const id = account === after?.account ? after.id : null;
    const listed = await listAfter(account, id, limit + 1 - following.length);
    following.push(...listed.map((each) => ({ account, listed: each })));
  }
  const items: { account: string; item: T }[] = [];
  for (const { account, listed } of following.slice(0, limit)) {
    items.push({ account, item: await listed.read() });
    // The store reads synchronously, so other work runs between two items.
    await setImmediate();
  }
  const last = following.length > limit ? following[limit - 1] : undefined;
  return { items, nextCursor: last ? encodeCursor({ account: last.account, id: last.listed.id }) : null };
};

/** Pages a list that is short enough to be listed as a whole. Ids are in the order of UTF-16 code units. */
export const fromWholeList =
  <T>(list: (account: string) => Promise<readonly LazyItem<T>[]>): ListAfter<T> =>
  async (account, after, limit) =>
    (await list(account))
      .filter(({ id }) => after === null || id > after)
      .sort((one, other) => (one.id < other.id ? -1 : 1))
      .slice(0, limit);

/** Pages a list of complete items by their ids. */
export const fromItems = <T>(
  list: (account: string) => Promise<readonly T[]>,
  idOf: (item: T) => string,
): ListAfter<T> =>
  fromWholeList(async (account) =>
    (await list(account)).map((item) => ({ id: idOf(item), read: async () => item })),
  );

export const encodeCursor = ({ account, id }: Position): string =>
  Buffer.from(`${account}\n${id}`).toString('base64url');

/** Returns null for a cursor that encodeCursor did not make: encoding its position again gives another text. */
export const decodeCursor = (cursor: string): Position | null => {
  const [account = '', ...id] = Buffer.from(cursor, 'base64url').toString().split('\n');
  const position = { account, id: id.join('\n') };
  return encodeCursor(position) === cursor ? position : null;
};
