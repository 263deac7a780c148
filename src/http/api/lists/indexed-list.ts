// Builds routes of lists that are searched, filtered and sorted by an index in memory.

import type { z } from 'zod';
import type { CollectorName } from '../../../collectors/context.ts';
import type { DaemonView } from '../../daemon-view.ts';
import { DAEMON_ACCOUNT } from '../alert-counts.ts';
import { countedPageOf } from '../fields.ts';
import * as parameters from '../parameters.ts';
import { ApiError, type ApiRoute, route, selectedAccounts } from '../route.ts';
import { type Found, findPage } from './find-page.ts';
import { IndexCache } from './index-cache.ts';
import { buildIndex, type ColumnsOf, type ListIndex } from './list-index.ts';
import { containsText } from './row-tests.ts';
import type { RowTest } from './scan.ts';
import { decodePosition, encodePosition, type Order, type SortKey } from './sort.ts';

type Shape = Readonly<Record<string, z.ZodType>>;
type Filters<Q extends Shape> = z.output<z.ZodObject<Q>>;

/** The data of an account that its index is made of. */
export interface IndexSource<T> {
  /** Changes whenever the index may differ from before. */
  readonly revision: string;
  pages(): AsyncIterable<readonly T[]>;
}

export interface IndexedList<
  Q extends Shape,
  I extends z.ZodType,
  T,
  S extends string,
  M extends Shape = Shape,
> {
  readonly path: string;
  readonly summary: string;
  /** The filters of the list. */
  readonly query: Q;
  readonly item: I;
  readonly collector?: CollectorName;
  revision?(view: DaemonView): string | Promise<string>;
  readonly columns: ColumnsOf<T>;
  /** Whether the index keeps its items, because the store cannot read a single one. */
  readonly keepsItems?: boolean;
  /** The columns of words that `q` searches in addition to the id. */
  readonly searched: readonly string[];
  /** False if the id is not a field of the items, so `q` must not search it. */
  readonly searchesId?: boolean;
  /** The sorts besides `id`. */
  readonly sorts: Readonly<Record<S, (filters: Filters<Q>) => SortKey<T>>>;
  readonly defaultSort: NoInfer<S> | 'id';
  /** Describes the sorts in the description of the API. */
  readonly sortText: string;
  /** What the sorts depend on besides the parameter `sort`. Cursors of another variant are refused. */
  variantOf?(filters: Filters<Q>): string;
  /** Returns undefined if the account has no such list. */
  source(view: DaemonView, account: string): Promise<IndexSource<T> | undefined>;
  filter(index: ListIndex<T>, filters: Filters<Q>): RowTest[];
  /** The accounts of which the list has items; by default the requested ones, or all if none is requested. */
  accounts?(requested: readonly string[], view: DaemonView): readonly string[];
  /** The fields of the answer besides those of all lists. */
  readonly more?: M;
  readMore?(view: DaemonView): z.output<z.ZodObject<M>>;
  /** Reads an item; undefined if it has changed meanwhile, and is no longer in the list. */
  read(found: Found<T>, view: DaemonView, filters: Filters<Q>): Promise<z.output<I> | undefined>;
}

/** The route of a list, and its indexes. */
export interface IndexedRoute<T> {
  readonly route: ApiRoute;
  /** Returns the index of an account; undefined if the account has no such list. */
  indexOf(view: DaemonView, account: string): Promise<ListIndex<T> | undefined>;
}

interface ListQuery {
  readonly account: readonly string[];
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly q?: string | undefined;
  readonly sort: string;
}

export const indexedList = <
  const Q extends Shape,
  I extends z.ZodType,
  T extends { readonly id: string },
  S extends string,
  M extends Shape,
>(
  list: IndexedList<Q, I, T, S, M>,
): IndexedRoute<T> => {
  const indexOf = indexesOf(list);
  const { path, summary, collector, revision, accounts: accountsOf = selectedAccounts } = list;
  const listRoute = route({
    ...{ path, summary },
    ...(collector && { collector }),
    ...(revision && { revision: (view: DaemonView) => revision(view) }),
    query: {
      ...parameters.page,
      q: parameters.q,
      sort: parameters.sortBy(['id', ...Object.keys(list.sorts)], list.defaultSort, list.sortText),
      ...list.query,
    },
    answer: countedPageOf(list.item).extend(list.more ?? {}),
    read: async ({ view, query }) => {
      const filters = query as unknown as Filters<Q>;
      const { account, limit, cursor, q, sort } = query as unknown as ListQuery;
      const order = orderOf(list, sort, filters);
      const after = cursor === undefined ? null : decodePosition(cursor, order);
      if (cursor !== undefined && after === null)
        return new ApiError(400, 'cursor: expected one of the same sort');
      const page = await findPage({
        ...{ accounts: accountsOf(account, view), order, after, limit },
        indexOf: (name) => indexOf(view, name),
        testsOf: async (index) => [
          ...list.filter(index, filters),
          ...(await containsText(index, list.searched, q, list.searchesId)),
        ],
        read: (found) => list.read(found, view, filters),
      });
      const { items, last, total } = page;
      const more = list.readMore?.(view) ?? {};
      return { ...more, data: items, next_cursor: last && encodePosition(last, order), total };
    },
  });
  return { route: listRoute, indexOf };
};

/** Keeps the indexes of each daemon. */
const indexesOf = <
  Q extends Shape,
  I extends z.ZodType,
  T extends { readonly id: string },
  S extends string,
>({
  source: sourceOf,
  columns,
  keepsItems = false,
}: IndexedList<Q, I, T, S>): IndexedRoute<T>['indexOf'] => {
  const caches = new WeakMap<DaemonView, IndexCache<T>>();
  return async (view, account) => {
    const cache = caches.get(view) ?? new IndexCache<T>();
    caches.set(view, cache);
    cache.keep([DAEMON_ACCOUNT, ...view.accounts()]);
    const source = await sourceOf(view, account);
    return (
      source && cache.get(account, source.revision, () => buildIndex(source.pages(), columns, keepsItems))
    );
  };
};

const orderOf = <Q extends Shape, I extends z.ZodType, T, S extends string>(
  { sorts, variantOf }: IndexedList<Q, I, T, S>,
  sort: string,
  filters: Filters<Q>,
): Order<T> => {
  const isDescending = sort.startsWith('-');
  const name = isDescending ? sort.slice(1) : sort;
  const sortKey = name === 'id' ? undefined : sorts[name as S](filters);
  return { sortKey, isDescending, token: `${sort} ${variantOf?.(filters) ?? ''}` };
};
