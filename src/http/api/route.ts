// Defines routes of the API: the schemas of their parameters and answer, and how the answer is read from the store.

import { z } from 'zod';
import type { CollectorName } from '../../collectors/context.ts';
import { StoreError } from '../../store/errors.ts';
import type { StorePart } from '../../store/store.ts';
import type { AccountView, DaemonView } from '../daemon-view.ts';
import { type DataSource, freshness, freshnessJson } from './freshness.ts';

/** The account name under which alerts about the daemon itself are counted and listed. */
export const DAEMON_ACCOUNT = '';

export interface ApiRequest<Q> {
  readonly view: DaemonView;
  /** The checked parameters, with their defaults. */
  readonly query: Q;
  /** The parameters of the path. An `account` among them is the name of a known account. */
  readonly path: Readonly<Record<string, string>>;
}

/** Is thrown to send this status and message instead of an answer. 503 says that the store rejects writes. */
export class ApiError extends Error {
  readonly status: 400 | 403 | 404 | 409 | 503;

  constructor(status: ApiError['status'], message: string) {
    super(message);
    this.status = status;
  }
}

/** Answers 503 if the store rejects the write. */
export const orUnstored = <T>(write: Promise<T>): Promise<T> =>
  write.catch((error) => {
    throw error instanceof StoreError ? new ApiError(503, error.message) : error;
  });

export type Shape = Readonly<Record<string, z.ZodType>>;
export type QueryOf<Q extends Shape> = z.output<z.ZodObject<Q>>;

interface RouteBase<Q extends Shape, A extends z.ZodType> {
  /** The path, with its parameters in braces. */
  readonly path: string;
  readonly summary: string;
  readonly query: Q;
  /** The schema of the answer. The answer has no other fields. */
  readonly answer: A;
  /** How an answer that is no list becomes CSV: the schema of a line, and the lines. */
  readonly csv?: {
    readonly item: z.ZodType;
    readonly itemsOf: (answer: z.output<A>) => readonly unknown[];
  };
  /** The collector that reads the data. If it is set, the answer also says how fresh the data is. */
  readonly collector?: DataSource;
  /** Changes whenever answers may differ from before. Routes whose answers always differ have none. */
  revision?(
    view: DaemonView,
    request: Pick<ApiRequest<QueryOf<Q>>, 'query' | 'path'>,
  ): string | Promise<string>;
}

export interface ApiRoute<Q extends Shape = Shape, A extends z.ZodType = z.ZodType> extends RouteBase<Q, A> {
  /** Throws ApiError. */
  read(request: ApiRequest<QueryOf<Q>>): Promise<z.output<A>>;
}

/** An operation that changes something. It has the protection of a reload. */
export interface ApiAction<B extends z.ZodType = z.ZodType, A extends z.ZodType = z.ZodType> {
  readonly method: 'POST' | 'DELETE';
  /** The path, with its parameters in braces. */
  readonly path: string;
  readonly summary: string;
  /** The schema of the JSON body. A request without a body has an empty object. */
  readonly body: B;
  readonly answer: A;
  /** When it is answered with 409; undefined if it never is. */
  readonly conflict?: string;
  /** Throws ApiError. */
  perform(
    request: Pick<ApiRequest<object>, 'view' | 'path'> & { readonly body: z.output<B> },
  ): Promise<z.output<A>>;
}

/** Checks that the types of an action's parts match. */
export const action = <B extends z.ZodType, A extends z.ZodType>(definition: ApiAction<B, A>): ApiAction =>
  definition as unknown as ApiAction;

/** Checks that the types of a route's parts match, and adds the freshness of its data. */
export const route = <const Q extends Shape, A extends z.ZodType>(definition: ApiRoute<Q, A>): ApiRoute => {
  const base = definition as unknown as ApiRoute;
  return base.collector === undefined ? base : withFreshness(base, base.collector);
};

interface ItemRoute<Q extends Shape, A extends z.ZodType> extends RouteBase<Q, A> {
  /** Returns undefined, which is answered with 404, if the account has no item with this id. */
  find(view: DaemonView, account: string, id: string, query: QueryOf<Q>): Promise<z.output<A> | undefined>;
}

/** Defines a route about one item of an account, whose id is the last parameter of the path. */
export const itemRoute = <const Q extends Shape, A extends z.ZodType>({
  find,
  ...common
}: ItemRoute<Q, A>): ApiRoute => {
  const parameter = common.path.match(/\w+(?=\})/g)?.at(-1) ?? '';
  return route({
    ...common,
    read: async ({ view, query, path: { account = '', [parameter]: id = '' } }) => {
      const found = await find(view, account, id, query);
      if (found === undefined) throw new ApiError(404, `${parameter}: "${id}" is not known`);
      return found;
    },
  });
};

/** Adds to the answer how fresh each account's data is, because an empty list may mean that nothing was read yet. */
const withFreshness = (base: ApiRoute, collector: DataSource): ApiRoute => {
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
