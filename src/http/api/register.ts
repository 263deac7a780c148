// Puts the routes of the API on the server: parameters are checked, refusals told, answers sent to who has not got them.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { sendUnlessKnown } from '../etag.ts';
import { unknownIn } from '../query.ts';
import type { View } from '../view.ts';
import { openApiRoute } from './openapi.ts';
import { type ApiRequest, type ApiRoute, Refusal } from './route.ts';
import { API_ROUTES } from './routes.ts';

export const addApiRoutes = (app: FastifyInstance, view: View): void => {
  for (const route of [...API_ROUTES, openApiRoute(API_ROUTES)]) {
    const query = z.object(route.query);
    app.get(route.path.replaceAll(/\{(\w+)\}/g, ':$1'), (request, reply) =>
      answer(route, query, view, request, reply),
    );
  }
};

const answer = async (
  route: ApiRoute,
  querySchema: z.ZodObject,
  view: View,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const path = request.params as Readonly<Record<string, string>>;
  if (path.account !== undefined && !view.accounts().includes(path.account))
    return refuse(reply, new Refusal(404, `account: "${path.account}" is not known`));
  const query = checked(querySchema, request.query, view);
  if (query instanceof Refusal) return refuse(reply, query);
  const read = () => route.read({ view, query, path } as ApiRequest<Record<string, unknown>>);
  const revision = await route.revision?.(view, { query, path });
  if (revision === undefined) {
    const body = await read();
    return body instanceof Refusal ? refuse(reply, body) : reply.send(body);
  }
  return sendUnlessKnown(request, reply, revision, read as () => Promise<object | Refusal>);
};

const refuse = (reply: FastifyReply, { status, error }: Refusal): FastifyReply =>
  reply.code(status).send({ error });

const checked = (schema: z.ZodObject, query: unknown, view: View): Record<string, unknown> | Refusal => {
  const { data, error } = schema.safeParse(query);
  if (error) {
    const [issue] = error.issues;
    return new Refusal(400, `${String(issue?.path[0])}: ${issue?.message}`);
  }
  const { account } = data;
  const unknown = Array.isArray(account) ? unknownIn('account', account, view.accounts()) : undefined;
  return unknown ? new Refusal(400, unknown.mistake) : data;
};
