// Builds routes of lists that an index in memory searches, filters and sorts, and keeps indexes while somebody reads.

import type { z } from 'zod';
import type { CollectorName } from '../../../collectors/context.ts';
import { type Clock, type Deadline, systemClock } from '../../../lib/clock.ts';
import { MINUTE } from '../../../lib/time.ts';
import type { AccountView, DaemonView } from '../../daemon-view.ts';
import { countedPageOf } from '../item.ts';
import * as parameters from '../parameters.ts';
import {
  ApiError,
  type ApiRoute,
  accountWithCollector,
  DAEMON_ACCOUNT,
  type QueryOf,
  route,
  type Shape,
  selectedAccounts,
} from '../route.ts';
import {
  decodePosition,
  encodePosition,
  type Found,
  findPage,
  type Order,
  type SortKey,
} from './find-page.ts';
import { buildIndex, type ColumnsOf, type ListIndex } from './list-index.ts';
import { containsText, hasWord, type RowTest } from './scan.ts';

export interface IndexedList<
  Q extends Shape,
  I extends z.ZodType,
  T,
  S extends string,
  M extends Shape = Shape,
> extends Pick<ApiRoute, 'path' | 'summary' | 'collector'> {
  /** The filters of the list. One that has the name of a column of words selects the rows with these words. */
  readonly query: Q;
  readonly item: I;
  /** The columns of words whose values the answer lists, for readers who choose one. They must be few. */
  readonly choices?: readonly string[];
  revision?(view: DaemonView): string | Promise<string>;
  /** Changes whenever the index of an account may differ from before; by default the revision of the list. */
  indexRevision?(view: DaemonView, account: string): string | Promise<string>;
  readonly columns: ColumnsOf<T>;
  /** Whether the index keeps its items, because the store cannot read a single one. */
  readonly keepsItems?: boolean;
  /** The columns of words that `q` searches in addition to the id. */
  readonly searched: readonly string[];
  /** False if the id is not a field of the items, so `q` must not search it. */
  readonly searchesId?: boolean;
  /** The sorts besides `id`: the names of columns, unless `sortKeyOf` knows them. */
  readonly sorts: readonly S[];
  sortKeyOf?(sort: S, filters: QueryOf<Q>): SortKey<T>;
  readonly defaultSort: NoInfer<S> | 'id';
  /** Describes the sorts in the description of the API. */
  readonly sortText: string;
  /** What the sorts depend on besides the parameter `sort`. Cursors of another variant are refused. */
  variantOf?(filters: QueryOf<Q>): string;
  /** Returns the data of an account that its index is made of; undefined if the account has no such list. */
  pages(view: DaemonView, account: string): AsyncIterable<readonly T[]> | undefined;
  /** The tests of the filters that do not have the name of a column. */
  filter?(index: ListIndex<T>, filters: QueryOf<Q>): RowTest[];
  /** The accounts of which the list has items; by default the requested ones, or all if none is requested. */
  accounts?(requested: readonly string[], view: DaemonView): readonly string[];
  /** The fields of the answer besides those of all lists. */
  readonly more?: M;
  readMore?(view: DaemonView): z.output<z.ZodObject<M>>;
  /** Reads an item; undefined if it has changed meanwhile, and is no longer in the list. */
  read(found: Found<T>, view: DaemonView, filters: QueryOf<Q>): Promise<z.output<I> | undefined>;
}

/** Reads all items of an account together, if the collector is on for it. */
export const pageOfAll =
  <T>(collector: CollectorName, read: (account: AccountView) => Promise<readonly T[]>) =>
  (view: DaemonView, name: string): AsyncIterable<readonly T[]> | undefined => {
    const found = accountWithCollector(view, name, collector);
    return found && onePage(() => read(found));
  };

export async function* onePage<T>(
  read: () => Promise<readonly T[]>,
): AsyncGenerator<readonly T[], void, undefined> {
  yield await read();
}

export interface IndexedRoute<T> {
  readonly route: ApiRoute;
  /** Returns the index of an account; undefined if the account has no such list. */
  indexOf(view: DaemonView, account: string): Promise<ListIndex<T> | undefined>;
}

type ListQuery = QueryOf<typeof parameters.page & { q: typeof parameters.q }> & { readonly sort: string };

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
  const { path, summary, collector, revision, choices, accounts: accountsOf = selectedAccounts } = list;
  const listRoute = route({
    ...{ path, summary },
    ...(collector && { collector }),
    ...(revision && { revision: (view: DaemonView) => revision(view) }),
    query: {
      ...parameters.page,
      q: parameters.q,
      sort: parameters.sortBy(['id', ...list.sorts], list.defaultSort, list.sortText),
      ...list.query,
    },
    answer: countedPageOf(list.item).extend({ ...(choices && parameters.filterValues), ...list.more }),
    read: async ({ view, query }) => {
      const filters = query as unknown as QueryOf<Q>;
      const { account, limit, cursor, q, sort } = query as unknown as ListQuery;
      const order = orderOf(list, sort, filters);
      const after = cursor === undefined ? null : decodePosition(cursor, order);
      if (cursor !== undefined && after === null)
        throw new ApiError(400, 'cursor: expected one of the same sort');
      const accounts = accountsOf(account, view);
      const page = await findPage({
        ...{ accounts, order, after, limit },
        indexOf: (name) => indexOf(view, name),
        testsOf: async (index) => [
          ...Object.keys(list.query).flatMap((name) =>
            index.hasWords(name) ? hasWord(index, [name], wordsIn(filters, name)) : [],
          ),
          ...(list.filter?.(index, filters) ?? []),
          ...(await containsText(index, list.searched, q, list.searchesId)),
        ],
        read: (found) => list.read(found, view, filters),
      });
      const { items, last, total } = page;
      const indexes = choices ? await Promise.all(accounts.map((name) => indexOf(view, name))) : [];
      const filter_values = choices && valuesIn(indexes, choices);
      const more = { ...(filter_values && { filter_values }), ...list.readMore?.(view) };
      return { ...more, data: items, next_cursor: last && encodePosition(last, order), total };
    },
  });
  return { route: listRoute, indexOf };
};

const valuesIn = <T>(
  indexes: readonly (ListIndex<T> | undefined)[],
  names: readonly string[],
): Record<string, string[]> =>
  Object.fromEntries(
    names.map((name) => [
      name,
      [...new Set(indexes.flatMap((each) => each?.words(name).words ?? []))].sort(),
    ]),
  );

/** Returns the words of a filter, of which there are several, one or none. */
export const wordsIn = (filters: object, name: string): string[] =>
  [(filters as Readonly<Record<string, unknown>>)[name] ?? []].flat().map(String);

const orderOf = <Q extends Shape, I extends z.ZodType, T, S extends string, M extends Shape>(
  { sortKeyOf = (name) => name, variantOf }: IndexedList<Q, I, T, S, M>,
  sort: string,
  filters: QueryOf<Q>,
): Order<T> => {
  const isDescending = sort.startsWith('-');
  const name = isDescending ? sort.slice(1) : sort;
  const sortKey = name === 'id' ? undefined : sortKeyOf(name as S, filters);
  return { sortKey, isDescending, token: `${sort} ${variantOf?.(filters) ?? ''}` };
};

/** Keeps the indexes of each daemon. */
const indexesOf = <
  Q extends Shape,
  I extends z.ZodType,
  T extends { readonly id: string },
  S extends string,
  M extends Shape,
>({
  revision = () => '',
  indexRevision = revision,
  pages: pagesOf,
  columns,
  keepsItems = false,
}: IndexedList<Q, I, T, S, M>): IndexedRoute<T>['indexOf'] => {
  const caches = new WeakMap<DaemonView, IndexCache<T>>();
  return async (view, account) => {
    const cache = caches.get(view) ?? new IndexCache<T>();
    caches.set(view, cache);
    cache.keep([DAEMON_ACCOUNT, ...view.accounts()]);
    const pages = pagesOf(view, account);
    return (
      pages &&
      cache.get(account, await indexRevision(view, account), () => buildIndex(pages, columns, keepsItems))
    );
  };
};

/** Longer than a reader of the status page pauses. */
export const IDLE_MS = 5 * MINUTE;

interface Entry<T> {
  readonly revision: string;
  readonly index: Promise<ListIndex<T>>;
  idle: Deadline;
}

export class IndexCache<T> {
  readonly #deadline: Clock['deadline'];
  readonly #entries = new Map<string, Entry<T>>();

  constructor({ deadline }: Pick<Clock, 'deadline'> = systemClock) {
    this.#deadline = deadline;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Returns the account's index. It is computed again when the revision has changed. Callers share the computation. */
  get(account: string, revision: string, build: () => Promise<ListIndex<T>>): Promise<ListIndex<T>> {
    const cached = this.#entries.get(account);
    cached?.idle[Symbol.dispose]();
    const idle = this.#deadline(IDLE_MS);
    const entry = cached?.revision === revision ? cached : { revision, index: build(), idle };
    entry.idle = idle;
    this.#entries.set(account, entry);
    const drop = (): void => {
      if (this.#entries.get(account) === entry) this.#entries.delete(account);
    };
    idle.signal.addEventListener('abort', drop, { once: true });
    // Callers that wait for this index get the error. The next call computes it again.
    if (entry !== cached) entry.index.catch(drop);
    return entry.index;
  }

  /** Forgets the indexes of all other accounts, which a reload removed. */
  keep(accounts: readonly string[]): void {
    for (const [name, { idle }] of this.#entries) {
      if (accounts.includes(name)) continue;
      idle[Symbol.dispose]();
      this.#entries.delete(name);
    }
  }
}
