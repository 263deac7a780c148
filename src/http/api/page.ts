// Long lists in pages, ordered by account and id, so that a page goes on where the last one ended whatever came or went.

import { setImmediate } from 'node:timers/promises';
import type { Listed } from '../../collectors/proxy-tests/reading.ts';

export interface Position {
  readonly account: string;
  readonly id: string;
}

export interface PageRequest {
  /** Known ones, each once, in order. */
  readonly accounts: readonly string[];
  readonly limit: number;
  /** The last item of the page before; null for the first page. */
  readonly after: Position | null;
}

export interface Page<T> {
  readonly items: readonly { readonly account: string; readonly item: T }[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** Up to `limit` items of an account after the one with the id `after`, in their order; null for the first ones. */
export type ListAfter<T> = (
  account: string,
  after: string | null,
  limit: number,
) => Promise<readonly Listed<T>[]>;

/** Lists what comes after the request's position, and reads only what is on the page. */
export const readPage = async <T>(
  { accounts, limit, after }: PageRequest,
  listAfter: ListAfter<T>,
): Promise<Page<T>> => {
  const following: { account: string; listed: Listed<T> }[] = [];
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
    // The store reads without a pause: between two items others have their turn.
    await setImmediate();
  }
  const last = following.length > limit ? following[limit - 1] : undefined;
  return { items, nextCursor: last ? cursorAt({ account: last.account, id: last.listed.id }) : null };
};

/** Of lists that are short enough to be listed whole: by id, in the order of UTF-16 code units. */
export const ofWhole =
  <T>(list: (account: string) => Promise<readonly Listed<T>[]>): ListAfter<T> =>
  async (account, after, limit) =>
    (await list(account))
      .filter(({ id }) => after === null || id > after)
      .sort((one, other) => (one.id < other.id ? -1 : 1))
      .slice(0, limit);

/** Of items that are there already, by an id of theirs. */
export const ofItems = <T>(
  list: (account: string) => Promise<readonly T[]>,
  idOf: (item: T) => string,
): ListAfter<T> =>
  ofWhole(async (account) =>
    (await list(account)).map((item) => ({ id: idOf(item), read: async () => item })),
  );

/** Read of the store at a time where not all of it is on the page. */
const SLICE = 500;

/** Of lists that the store has in pages of its own, by id: only what `keep` holds of them. */
export const ofStored =
  <T extends { readonly id: string }>(
    page: (account: string, after: string, limit: number) => Promise<readonly T[]>,
    keep: ((item: T) => boolean) | undefined,
  ): ListAfter<T> =>
  async (account, after, limit) => {
    const found: T[] = [];
    const sliceSize = keep ? SLICE : limit;
    for (let last = after ?? ''; found.length < limit; ) {
      const slice = await page(account, last, sliceSize);
      found.push(...(keep ? slice.filter(keep) : slice));
      if (slice.length < sliceSize) break;
      last = slice.at(-1)?.id ?? last;
      await setImmediate();
    }
    return found.slice(0, limit).map((item) => ({ id: item.id, read: async () => item }));
  };

export const cursorAt = ({ account, id }: Position): string =>
  Buffer.from(`${account}\n${id}`).toString('base64url');

/** Null for what was not made here: only that comes out of the way back as it was. */
export const positionAt = (cursor: string): Position | null => {
  const [account = '', ...id] = Buffer.from(cursor, 'base64url').toString().split('\n');
  const position = { account, id: id.join('\n') };
  return cursorAt(position) === cursor ? position : null;
};
