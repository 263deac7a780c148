// Builds routes that list items by account and id, so that a cursor stays valid when items are added or removed.

import { setImmediate } from 'node:timers/promises';
import type { z } from 'zod';
import type { CollectorName } from '../../collectors/context.ts';
import type { LazyItem } from '../../collectors/proxy-tests/summaries.ts';
import type { AccountView, DaemonView } from '../daemon-view.ts';
import { countedPageOf, pageOf } from './item.ts';
import { decodeCursor, encodeCursor, type Position, page as pageParameters } from './parameters.ts';
import {
  type ApiRoute,
  accountWithCollector,
  type QueryOf,
  route,
  type Shape,
  selectedAccounts,
} from './route.ts';

export interface PageRequest {
  /** Names of known accounts, each once, in order. */
  readonly accounts: readonly string[];
  readonly limit: number;
  /** The last item of the previous page; null for the first page. */
  readonly after: Position | null;
}

/** Converts the parameters of a list with pages to a page request. */
export const pageRequestOf = (
  { account, limit, cursor }: { account: readonly string[]; limit: number; cursor?: string | undefined },
  view: DaemonView,
): PageRequest => ({
  accounts: selectedAccounts(account, view),
  limit,
  after: cursor === undefined ? null : decodeCursor(cursor),
});

interface Page<T> {
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

/** Makes items of a list of values that are read already. */
export const itemsOf = <T>(values: readonly T[], idOf: (value: T) => string): LazyItem<T>[] =>
  values.map((value) => ({ id: idOf(value), read: async () => value }));

interface ListBase<Q extends Shape, I extends z.ZodType, T>
  extends Pick<ApiRoute, 'path' | 'summary' | 'collector'> {
  /** Parameters in addition to those of pages. */
  readonly query: Q;
  readonly item: I;
  revision?(view: DaemonView): string | Promise<string>;
  /** Throws ApiError if the parameters contradict each other. */
  check?(query: QueryOf<Q>): void;
  toJson(account: string, item: T): z.output<I>;
}

interface ListRoute<Q extends Shape, I extends z.ZodType, T> extends ListBase<Q, I, T> {
  list(view: DaemonView, query: QueryOf<Q>): ListAfter<T>;
  /** Counts the items of these accounts on all pages. Without it, the answer has no total. */
  count?(view: DaemonView, query: QueryOf<Q>, accounts: readonly string[]): Promise<number>;
  /** The fields of the answer besides those of all lists. */
  readonly more?: Readonly<Record<string, z.ZodType>>;
  readMore?(view: DaemonView, query: QueryOf<Q>, accounts: readonly string[]): Promise<object>;
}

export const listRoute = <const Q extends Shape, I extends z.ZodType, T>({
  query,
  item,
  check,
  list,
  count,
  more = {},
  readMore,
  toJson,
  ...common
}: ListRoute<Q, I, T>): ApiRoute =>
  route({
    ...common,
    query: { ...pageParameters, ...query },
    answer: (count ? countedPageOf(item) : pageOf(item)).extend(more),
    read: async ({ view, query: given }) => {
      const query = given as QueryOf<Q>;
      check?.(query);
      const request = pageRequestOf(given as Parameters<typeof pageRequestOf>[0], view);
      const { items, nextCursor } = await readPage(request, list(view, query));
      const total = await count?.(view, query, request.accounts);
      return {
        data: items.map(({ account, item }) => toJson(account, item)),
        ...{ next_cursor: nextCursor, ...(total !== undefined && { total }) },
        ...(await readMore?.(view, query, request.accounts)),
      };
    },
  });

interface ShortListRoute<Q extends Shape, I extends z.ZodType, T> extends ListBase<Q, I, T> {
  readonly collector?: CollectorName;
  /** Reads the items of an account. Accounts for which the collector of the list is off have none. */
  items(account: AccountView, query: QueryOf<Q>, view: DaemonView): Promise<readonly T[]>;
  idOf(item: T): string;
}

/** Lists what is short enough to be read as a whole. */
export const shortListRoute = <const Q extends Shape, I extends z.ZodType, T>({
  items,
  idOf,
  ...common
}: ShortListRoute<Q, I, T>): ApiRoute =>
  listRoute({
    ...common,
    list: (view, query) => {
      const { collector } = common;
      return fromWholeList(async (name) => {
        const found =
          collector === undefined ? view.account(name) : accountWithCollector(view, name, collector);
        return found ? itemsOf(await items(found, query, view), idOf) : [];
      });
    },
  });
