// Defines routes of the API: the schemas of their parameters and answer, and how the answer is read from the store.

import { z } from 'zod';
import type { CollectorName } from '../../collectors/context.ts';
import type { StorePart } from '../../store/store.ts';
import type { AccountView, DaemonView } from '../daemon-view.ts';
import { freshness, freshnessJson } from './freshness.ts';
import { decodeCursor, type PageRequest } from './page.ts';

export interface ApiRequest<Q> {
  readonly view: DaemonView;
  /** The checked parameters, with their defaults. */
  readonly query: Q;
  /** The parameters of the path. An `account` among them is the name of a known account. */
  readonly path: Readonly<Record<string, string>>;
}

/** 503 says that the store rejects writes. */
type ErrorStatus = 400 | 403 | 404 | 503;

/** The status and text that are sent instead of an answer. */
export class ApiError {
  readonly status: ErrorStatus;
  readonly error: string;

  constructor(status: ErrorStatus, error: string) {
    this.status = status;
    this.error = error;
  }
}

export interface ApiRoute<
  Q extends Readonly<Record<string, z.ZodType>> = Readonly<Record<string, z.ZodType>>,
  A extends z.ZodType = z.ZodType,
> {
  /** The path, with its parameters in braces. */
  readonly path: string;
  readonly summary: string;
  readonly query: Q;
  /** The schema of the answer. The answer has no other fields. */
  readonly answer: A;
  /** The collector that reads the data. If it is set, the answer also says how fresh the data is. */
  readonly collector?: CollectorName;
  /** Changes whenever answers may differ from before. Routes whose answers always differ have none. */
  revision?(
    view: DaemonView,
    request: Pick<ApiRequest<z.output<z.ZodObject<Q>>>, 'query' | 'path'>,
  ): string | Promise<string>;
  read(request: ApiRequest<z.output<z.ZodObject<Q>>>): Promise<z.output<A> | ApiError>;
}

/** Checks that the types of a route's parts match, and adds the freshness of its data. */
export const route = <const Q extends Readonly<Record<string, z.ZodType>>, A extends z.ZodType>(
  definition: ApiRoute<Q, A>,
): ApiRoute => {
  const base = definition as unknown as ApiRoute;
  return base.collector === undefined ? base : withFreshness(base, base.collector);
};

/** Adds to the answer how fresh each account's data is, because an empty list may mean that nothing was read yet. */
const withFreshness = (base: ApiRoute, collector: CollectorName): ApiRoute => {
  const read = (view: DaemonView, request: Pick<ApiRequest<object>, 'query' | 'path'>) =>
    freshnessJson(view, accountsIn(request, view), collector, testerIn(request));
  const { revision } = base;
  const extended = (base.answer as z.ZodObject).extend({ freshness: z.array(freshness) });
  return {
    ...base,
    answer: extended.meta(base.answer.meta() ?? {}),
    ...(revision && {
      revision: async (view, request) =>
        `${await revision(view, request)} ${JSON.stringify(await read(view, request))}`,
    }),
    read: async (request) => {
      const answer = await base.read(request);
      if (answer instanceof ApiError) return answer;
      return { ...(answer as object), freshness: await read(request.view, request) };
    },
  };
};

/** The path of a tester, and the failures of one tester, have its results only. */
const testerIn = ({ query, path }: Pick<ApiRequest<object>, 'query' | 'path'>): string | undefined =>
  path.tester_server ?? (query as { tester_server?: string }).tester_server;

const accountsIn = (
  { query, path }: Pick<ApiRequest<object>, 'query' | 'path'>,
  view: DaemonView,
): string[] =>
  path.account === undefined
    ? selectedAccounts((query as { account?: readonly string[] }).account ?? [], view)
    : [path.account];

/** Returns a revision of these parts of the store, and with `spanMs` of the current span of that length too. */
export const revisionOfParts =
  (parts: readonly StorePart[], spanMs?: number) =>
  (view: DaemonView): string =>
    view.revision(parts, spanMs);

/** Converts the parameters of a list with pages to a page request. */
export const pageRequestOf = (
  { account, limit, cursor }: { account: readonly string[]; limit: number; cursor?: string | undefined },
  view: DaemonView,
): PageRequest => ({
  accounts: selectedAccounts(account, view),
  limit,
  after: cursor === undefined ? null : decodeCursor(cursor),
});

/** Returns the requested accounts, or all if none is requested, each once and in order. */
export const selectedAccounts = (requested: readonly string[], view: DaemonView): string[] =>
  [...new Set(requested.length === 0 ? view.accounts() : requested)].sort();

/** Returns the account if the collector is enabled for it. Data of a disabled collector is not shown even if it is stored. */
export const accountWithCollector = (
  view: DaemonView,
  name: string,
  collector: CollectorName,
): AccountView | undefined => {
  const account = view.account(name);
  return account?.settings.collectors.includes(collector) ? account : undefined;
};
