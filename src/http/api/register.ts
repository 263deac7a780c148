// Registers the API's routes on the server: checks parameters, and sends answers, errors or 304.

import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { closestMatch } from '../../config/closest-match.ts';
import type { DaemonView } from '../daemon-view.ts';
import { isFromBrowser, isFromOwnPage, type NameSettings } from '../host-check.ts';
import type { StoreReads } from '../limits.ts';
import { findUnknownAccount, type ParameterMistake } from '../query.ts';
import { sendCsv } from './lists/csv-answer.ts';
import { openApiRoute } from './openapi.ts';
import { type ApiAction, ApiError, type ApiRoute } from './route.ts';
import { API_ACTIONS, API_ROUTES } from './routes.ts';

export const addApiRoutes = (
  app: FastifyInstance,
  view: DaemonView,
  storeReads: StoreReads,
  names: NameSettings,
): void => {
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
      onRequest: async (request) => {
        if (isFromBrowser(request) && !isFromOwnPage(request, names)) throw new ApiError(403, FOREIGN_PAGE);
      },
      handler: (request, reply) => storeReads.inTurn(reply, () => perform(action, view, request, reply)),
    });
};

const FOREIGN_PAGE =
  'a web page is not allowed to change anything, except the status page under a name in server.external_url or server.allowed_hosts, or an IP address';

/** The largest valid request has a few KiB. */
const MAX_BODY_BYTES = 16 * 1024;

const patternOf = ({ path }: { readonly path: string }): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

const perform = async (
  action: ApiAction,
  view: DaemonView,
  { params, body }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const path = pathOf(params, view);
  const { data, error } = action.body.safeParse(body ?? {});
  if (error) throw new ApiError(400, describeIssue(error));
  return reply.send(await action.perform({ view, path, body: data }));
};

/** Returns the parameters of the path. Throws ApiError if it names an unknown account. */
const pathOf = (params: unknown, view: DaemonView): Readonly<Record<string, string>> => {
  const path = params as Readonly<Record<string, string>>;
  const unknown = path.account === undefined ? undefined : findUnknownAccount(view, [path.account]);
  if (unknown) throw new ApiError(404, unknown.mistake);
  return path;
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
  const path = pathOf(request.params, view);
  const given = request.query as Readonly<Record<string, unknown>>;
  const query = parseQuery(querySchema, given, (requested) => findUnknownAccount(view, requested));
  const apiRequest = { view, query, path };
  if (query.format === 'csv') return sendCsv(route, apiRequest, request, reply, storeReads);
  const revision = await route.revision?.(view, { query, path });
  return revision === undefined
    ? reply.send(await route.read(apiRequest))
    : sendWithEtag(request, reply, revision, () => route.read(apiRequest));
};

/** Longer names are cut in the answer. */
const MAX_NAME = 50;

/**
 * Returns the values with their defaults. Throws ApiError with the first mistake, which begins with the name of the parameter.
 * Every mistake is an error, because a misspelt filter would otherwise select everything.
 */
const parseQuery = (
  schema: z.ZodObject,
  query: Readonly<Record<string, unknown>>,
  findUnknownAccount: (requested: readonly string[]) => ParameterMistake | undefined,
): Record<string, unknown> => {
  const known = Object.keys(schema.shape);
  const unknown = Object.keys(query).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new ApiError(400, describeUnknown(unknown, known));
  const { data, error } = schema.safeParse(query);
  if (error) throw new ApiError(400, describeMistake(error, query));
  const { account } = data;
  const mistake = Array.isArray(account) ? findUnknownAccount(account)?.mistake : undefined;
  if (mistake !== undefined) throw new ApiError(400, mistake);
  return data;
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

/** Clients may keep an answer, but must revalidate it before use. */
const CACHE_CONTROL = 'private, no-cache';

/** Sends the result of `answer`, or 304 for a known revision. Read the revision first: an answer that is newer is only sent twice. */
const sendWithEtag = async (
  { url, headers }: FastifyRequest,
  reply: FastifyReply,
  revision: string,
  answer: () => Promise<unknown>,
): Promise<FastifyReply> => {
  const etag = etagOf(revision, url);
  const isNotModified = tagsIn(headers['if-none-match']).some((tag) => tag === '*' || tag === etag);
  const body = isNotModified ? undefined : await answer();
  reply.headers({ etag, 'cache-control': CACHE_CONTROL });
  return isNotModified ? reply.code(304).send() : reply.send(body);
};

/** Returns a weak tag, because two answers with one tag have the same content, but perhaps not the same bytes. */
const etagOf = (revision: string, url: string): string =>
  `W/"${createHash('sha256').update(`${url}\n${revision}`).digest('base64url')}"`;

/** Makes all tags weak, so that a tag that a reverse proxy made strong also matches. */
const tagsIn = (header: string | undefined): string[] =>
  (header ?? '').split(',').map((tag) => tag.trim().replace(/^(?:W\/)?(?=")/, 'W/'));
