// Registers the API's routes on the server: checks parameters, and sends answers, errors or 304.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { closestMatch } from '../../config/closest-match.ts';
import type { DaemonView } from '../daemon-view.ts';
import { sendWithEtag } from '../etag.ts';
import { isFromBrowser } from '../host-check.ts';
import type { ParameterMistake } from '../query.ts';
import type { StoreReads } from '../store-reads.ts';
import { findUnknownAccount } from '../unknown-account.ts';
import type { ApiAction } from './action.ts';
import { sendCsv } from './lists/csv-answer.ts';
import { openApiRoute } from './openapi.ts';
import { ApiError, type ApiRoute } from './route.ts';
import { API_ACTIONS, API_ROUTES } from './routes.ts';

export const addApiRoutes = (app: FastifyInstance, view: DaemonView, storeReads: StoreReads): void => {
  for (const route of [...API_ROUTES, openApiRoute(API_ROUTES, API_ACTIONS)]) {
    const query = z.object(route.query);
    app.get(patternOf(route), (request, reply) =>
      storeReads.inTurn(reply, () => handle({ route, query, view, storeReads }, request, reply)),
    );
  }
  for (const action of API_ACTIONS)
    app.route({
      method: action.method,
      url: patternOf(action),
      bodyLimit: MAX_BODY_BYTES,
      // A page is refused before its body is read.
      onRequest: async (request, reply) => {
        if (isFromBrowser(request)) return sendError(reply, NOT_FROM_PAGES);
      },
      handler: (request, reply) => storeReads.inTurn(reply, () => perform(action, view, request, reply)),
    });
};

/** The largest valid request has a few KiB. */
const MAX_BODY_BYTES = 16 * 1024;
const NOT_FROM_PAGES = new ApiError(403, 'a web page is not allowed to change anything');

/** Returns the path in the notation of Fastify. */
const patternOf = ({ path }: { readonly path: string }): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

const perform = async (
  action: ApiAction,
  view: DaemonView,
  { params, body }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const path = params as Readonly<Record<string, string>>;
  const { data, error } = action.body.safeParse(body ?? {});
  if (error) return sendError(reply, new ApiError(400, describeIssue(error)));
  const answer = await action.perform({ view, path, body: data });
  return answer instanceof ApiError ? sendError(reply, answer) : reply.send(answer);
};

/** Begins with the name of the field, unless the mistake is in the whole body. */
const describeIssue = ({ issues: [issue] }: z.ZodError): string =>
  issue && issue.path.length > 0 ? `${String(issue.path[0])}: ${issue.message}` : (issue?.message ?? '');

interface Handler {
  readonly route: ApiRoute;
  /** The schema of the parameters. */
  readonly query: z.ZodObject;
  readonly view: DaemonView;
  readonly storeReads: StoreReads;
}

const handle = async (
  { route, query: querySchema, view, storeReads }: Handler,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const path = request.params as Readonly<Record<string, string>>;
  const unknown = path.account === undefined ? undefined : findUnknownAccount(view, [path.account]);
  if (unknown) return sendError(reply, new ApiError(404, unknown.mistake));
  const given = request.query as Readonly<Record<string, unknown>>;
  const query = parseQuery(querySchema, given, (requested) => findUnknownAccount(view, requested));
  if (query instanceof ApiError) return sendError(reply, query);
  const apiRequest = { view, query, path };
  if (query.format === 'csv') return sendCsv(route, apiRequest, request, reply, storeReads);
  const read = () => route.read(apiRequest);
  const revision = await route.revision?.(view, { query, path });
  if (revision === undefined) {
    const body = await read();
    return body instanceof ApiError ? sendError(reply, body) : reply.send(body);
  }
  return sendWithEtag(request, reply, revision, read as () => Promise<object | ApiError>);
};

const sendError = (reply: FastifyReply, { status, error }: ApiError): FastifyReply =>
  reply.code(status).send({ error });

/** Longer names are cut in the answer. */
const MAX_NAME = 50;

/**
 * Returns the values with their defaults, or the first mistake. It begins with the name of the parameter. Every mistake is an
 * error, because a misspelt filter would otherwise select everything.
 */
const parseQuery = (
  schema: z.ZodObject,
  query: Readonly<Record<string, unknown>>,
  findUnknownAccount: (requested: readonly string[]) => ParameterMistake | undefined,
): Record<string, unknown> | ApiError => {
  const known = Object.keys(schema.shape);
  const unknown = Object.keys(query).find((name) => !known.includes(name));
  if (unknown !== undefined) return new ApiError(400, describeUnknown(unknown, known));
  const { data, error } = schema.safeParse(query);
  if (error) return new ApiError(400, describeMistake(error, query));
  const { account } = data;
  const mistake = Array.isArray(account) ? findUnknownAccount(account)?.mistake : undefined;
  return mistake === undefined ? data : new ApiError(400, mistake);
};

const describeUnknown = (name: string, known: readonly string[]): string => {
  const shown = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
  if (known.length === 0) return `${shown}: unknown parameter; this path has none`;
  const meant = closestMatch(name.slice(0, MAX_NAME), known);
  const question = meant === undefined ? `expected one of ${known.join(', ')}` : `did you mean "${meant}"?`;
  return `${shown}: unknown parameter; ${question}`;
};

const describeMistake = (
  { issues: [issue] }: z.ZodError,
  query: Readonly<Record<string, unknown>>,
): string => {
  const [name = '', ...inside] = issue?.path ?? [];
  const values = query[String(name)];
  // A mistake in one of several values has its index in the path.
  const isRepeated = Array.isArray(values) && inside.length === 0;
  return `${String(name)}: ${isRepeated ? `expected one value, but got ${values.length}` : issue?.message}`;
};
