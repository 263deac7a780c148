// Registers the API's routes on the server: checks parameters, and sends answers, errors or 304.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { DaemonView } from '../daemon-view.ts';
import { sendWithEtag } from '../etag.ts';
import { findUnknown } from '../query.ts';
import type { StoreReads } from '../store-reads.ts';
import { openApiRoute } from './openapi.ts';
import { ApiError, type ApiRequest, type ApiRoute } from './route.ts';
import { API_ROUTES } from './routes.ts';

export const addApiRoutes = (app: FastifyInstance, view: DaemonView, storeReads: StoreReads): void => {
  for (const route of [...API_ROUTES, openApiRoute(API_ROUTES)]) {
    const query = z.object(route.query);
    app.get(route.path.replaceAll(/\{(\w+)\}/g, ':$1'), (request, reply) =>
      storeReads.inTurn(reply, () => handle(route, query, view, request, reply)),
    );
  }
};

const handle = async (
  route: ApiRoute,
  querySchema: z.ZodObject,
  view: DaemonView,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const path = request.params as Readonly<Record<string, string>>;
  if (path.account !== undefined && !view.accounts().includes(path.account))
    return sendError(reply, new ApiError(404, `account: "${path.account}" is not known`));
  const query = parseQuery(querySchema, request.query, view);
  if (query instanceof ApiError) return sendError(reply, query);
  const read = () => route.read({ view, query, path } as ApiRequest<Record<string, unknown>>);
  const revision = await route.revision?.(view, { query, path });
  if (revision === undefined) {
    const body = await read();
    return body instanceof ApiError ? sendError(reply, body) : reply.send(body);
  }
  return sendWithEtag(request, reply, revision, read as () => Promise<object | ApiError>);
};

const sendError = (reply: FastifyReply, { status, error }: ApiError): FastifyReply =>
  reply.code(status).send({ error });

const parseQuery = (
  schema: z.ZodObject,
  query: unknown,
  view: DaemonView,
): Record<string, unknown> | ApiError => {
  const { data, error } = schema.safeParse(query);
  if (error) {
    const [issue] = error.issues;
    return new ApiError(400, `${String(issue?.path[0])}: ${issue?.message}`);
  }
  const { account } = data;
  const unknown = Array.isArray(account) ? findUnknown('account', account, view.accounts()) : undefined;
  return unknown ? new ApiError(400, unknown.mistake) : data;
};
