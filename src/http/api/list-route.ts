// Routes that list what the accounts have, page by page.

import type { z } from 'zod';
import type { CollectorName } from '../../collectors/context.ts';
import type { AccountView, View } from '../view.ts';
import { pageOf } from './fields.ts';
import { type ListAfter, readPage } from './page.ts';
import { page as pageParameters } from './parameters.ts';
import { type ApiRoute, accountWith, pageRequestOf, Refusal, route } from './route.ts';

type Shape = Readonly<Record<string, z.ZodType>>;

export interface ListRoute<Q extends Shape, I extends z.ZodType, T> {
  readonly path: string;
  readonly summary: string;
  /** Parameters beside those of pages. */
  readonly query: Q;
  readonly item: I;
  /** What reads the list. */
  readonly collector?: CollectorName;
  revision?(view: View): string | Promise<string>;
  list(view: View, query: z.output<z.ZodObject<Q>>): ListAfter<T> | Refusal;
  toJson(account: string, item: T): z.output<I>;
}

export const listRoute = <const Q extends Shape, I extends z.ZodType, T>({
  query,
  item,
  list,
  toJson,
  ...common
}: ListRoute<Q, I, T>): ApiRoute =>
  route({
    ...common,
    query: { ...pageParameters, ...query },
    answer: pageOf(item),
    read: async ({ view, query }) => {
      const listAfter = list(view, query as z.output<z.ZodObject<Q>>);
      if (listAfter instanceof Refusal) return listAfter;
      const asked = pageRequestOf(query as Parameters<typeof pageRequestOf>[0], view);
      const { items, nextCursor } = await readPage(asked, listAfter);
      return { data: items.map(({ account, item }) => toJson(account, item)), next_cursor: nextCursor };
    },
  });

/** What an account has while the collector is on, and nothing while it is off. */
export const whileOn =
  <T>(
    view: View,
    collector: CollectorName,
    read: (account: AccountView) => Promise<readonly T[]>,
  ): ((name: string) => Promise<readonly T[]>) =>
  async (name) => {
    const account = accountWith(view, name, collector);
    return account ? read(account) : [];
  };
