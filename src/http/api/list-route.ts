// Builds routes that list items of the accounts page by page.

import type { z } from 'zod';
import type { CollectorName } from '../../collectors/context.ts';
import type { AccountView, DaemonView } from '../daemon-view.ts';
import { countedPageOf, pageOf } from './fields.ts';
import { type ListAfter, readPage } from './page.ts';
import { page as pageParameters } from './parameters.ts';
import { ApiError, type ApiRoute, accountWithCollector, pageRequestOf, route } from './route.ts';

type Shape = Readonly<Record<string, z.ZodType>>;

export interface ListRoute<Q extends Shape, I extends z.ZodType, T> {
  readonly path: string;
  readonly summary: string;
  /** Parameters in addition to those of pages. */
  readonly query: Q;
  readonly item: I;
  /** The collector that reads the data of the list. */
  readonly collector?: CollectorName;
  revision?(view: DaemonView): string | Promise<string>;
  list(view: DaemonView, query: z.output<z.ZodObject<Q>>): ListAfter<T> | ApiError;
  /** Counts the items of these accounts on all pages. Without it, the answer has no total. */
  count?(view: DaemonView, query: z.output<z.ZodObject<Q>>, accounts: readonly string[]): Promise<number>;
  toJson(account: string, item: T): z.output<I>;
}

export const listRoute = <const Q extends Shape, I extends z.ZodType, T>({
  query,
  item,
  list,
  count,
  toJson,
  ...common
}: ListRoute<Q, I, T>): ApiRoute =>
  route({
    ...common,
    query: { ...pageParameters, ...query },
    answer: count ? countedPageOf(item) : pageOf(item),
    read: async ({ view, query }) => {
      const listAfter = list(view, query as z.output<z.ZodObject<Q>>);
      if (listAfter instanceof ApiError) return listAfter;
      const request = pageRequestOf(query as Parameters<typeof pageRequestOf>[0], view);
      const { items, nextCursor } = await readPage(request, listAfter);
      const total = await count?.(view, query as z.output<z.ZodObject<Q>>, request.accounts);
      return {
        data: items.map(({ account, item }) => toJson(account, item)),
        ...{ next_cursor: nextCursor, ...(total !== undefined && { total }) },
      };
    },
  });

/** Reads an account's items if the collector is enabled for it, or returns none. */
export const whenEnabled =
  <T>(
    view: DaemonView,
    collector: CollectorName,
    read: (account: AccountView) => Promise<readonly T[]>,
  ): ((name: string) => Promise<readonly T[]>) =>
  async (name) => {
    const account = accountWithCollector(view, name, collector);
    return account ? read(account) : [];
  };
