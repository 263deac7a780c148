// What a route of the API is: its parameters and its answer as schemas, and how the answer is read of the store.

import { z } from 'zod';
import type { CollectorName } from '../../collectors/context.ts';
import type { StorePart } from '../../store/store.ts';
import type { AccountView, View } from '../view.ts';
import { freshness, freshnessJson } from './freshness.ts';
import { type PageRequest, positionAt } from './page.ts';

export interface ApiRequest<Q> {
  readonly view: View;
  /** Checked and with their defaults. */
  readonly query: Q;
  /** The parameters of the path; an `account` among them is known. */
  readonly path: Readonly<Record<string, string>>;
}

/** Why there is no answer. */
export class Refusal {
  readonly status: 400 | 404;
  readonly error: string;

  constructor(status: 400 | 404, error: string) {
    this.status = status;
    this.error = error;
  }
}

export interface ApiRoute<
  Q extends Readonly<Record<string, z.ZodType>> = Readonly<Record<string, z.ZodType>>,
  A extends z.ZodType = z.ZodType,
> {
  /** With its parameters in braces. */
  readonly path: string;
  readonly summary: string;
  readonly query: Q;
  /** Every field of it: an answer has no others. */
  readonly answer: A;
  /** What reads the data of the answer; the answer then says how fresh that is. */
  readonly collector?: CollectorName;
  /** Another one whenever answers may differ from those before; left out where that is all the time. */
  revision?(
    view: View,
    request: Pick<ApiRequest<z.output<z.ZodObject<Q>>>, 'query' | 'path'>,
  ): string | Promise<string>;
  read(request: ApiRequest<z.output<z.ZodObject<Q>>>): Promise<z.output<A> | Refusal>;
}

/** A route whose parts fit together. */
export const route = <const Q extends Readonly<Record<string, z.ZodType>>, A extends z.ZodType>(
  definition: ApiRoute<Q, A>,
): ApiRoute => {
  const plain = definition as unknown as ApiRoute;
  return plain.collector === undefined ? plain : withFreshness(plain, plain.collector);
};

/** Adds to the answer how fresh its data is, by account: an empty list may mean that nothing was read yet. */
const withFreshness = (plain: ApiRoute, collector: CollectorName): ApiRoute => {
  const read = (view: View, request: Pick<ApiRequest<object>, 'query' | 'path'>) =>
    freshnessJson(view, accountsIn(request, view), collector);
  const { revision } = plain;
  const extended = (plain.answer as z.ZodObject).extend({ freshness: z.array(freshness) });
  return {
    ...plain,
    answer: extended.meta(plain.answer.meta() ?? {}),
    ...(revision && {
      revision: async (view, request) =>
        `${await revision(view, request)} ${JSON.stringify(await read(view, request))}`,
    }),
    read: async (request) => {
      const answer = await plain.read(request);
      if (answer instanceof Refusal) return answer;
      return { ...(answer as object), freshness: await read(request.view, request) };
    },
  };
};

const accountsIn = ({ query, path }: Pick<ApiRequest<object>, 'query' | 'path'>, view: View): string[] =>
  path.account === undefined
    ? accountsOf((query as { account?: readonly string[] }).account ?? [], view)
    : [path.account];

/** A revision of what is read of these parts of the store; with `spanMs`, of the present span of that length too. */
export const partsOf =
  (parts: readonly StorePart[], spanMs?: number) =>
  (view: View): string =>
    view.revision(parts, spanMs);

/** What the parameters of a list in pages ask for. */
export const pageRequestOf = (
  { account, limit, cursor }: { account: readonly string[]; limit: number; cursor?: string | undefined },
  view: View,
): PageRequest => ({
  accounts: accountsOf(account, view),
  limit,
  after: cursor === undefined ? null : positionAt(cursor),
});

/** Those asked for, all when none is, each once and in order. */
export const accountsOf = (asked: readonly string[], view: View): string[] =>
  [...new Set(asked.length === 0 ? view.accounts() : asked)].sort();

/** The account, where the collector is on: what is off is not shown, whatever the store has of it. */
export const accountWith = (view: View, name: string, collector: CollectorName): AccountView | undefined => {
  const account = view.account(name);
  return account?.settings.collectors.includes(collector) ? account : undefined;
};
