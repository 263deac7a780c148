// GET /api/v1/proxies, testers, targets and failures: what the proxy tests found, as JSON.

import type { FastifyInstance } from 'fastify';
import type { Listed } from '../collectors/proxy-tests/reading.ts';
import { sendUnlessKnown } from './etag.ts';
import { type PageQuery, parsePageQuery, readPage } from './page.ts';
import { failureJson, proxyJson, targetJson, testerJson } from './test-json.ts';
import type { View } from './view.ts';

export const addTestRoutes = (app: FastifyInstance, view: View): void => {
  addPagedRoute(app, view, '/api/v1/proxies', (account) => view.tests.proxies(account), proxyJson);
  addPagedRoute(app, view, '/api/v1/testers', (account) => view.tests.testers(account), testerJson);
  addPagedRoute(app, view, '/api/v1/targets', (account) => view.tests.targets(account), targetJson);
  addFailuresRoute(app, view);
};

const addPagedRoute = <T>(
  app: FastifyInstance,
  view: View,
  path: string,
  list: (account: string) => Promise<readonly Listed<T>[]>,
  toJson: (account: string, item: T) => object,
): void => {
  app.get<{ Querystring: PageQuery }>(path, async (request, reply) => {
    const asked = parsePageQuery(request.query, view.accounts());
    if ('mistake' in asked) return reply.code(400).send({ error: asked.mistake });
    return sendUnlessKnown(request, reply, await view.tests.revision(), async () => {
      const { items, nextCursor } = await readPage(asked, list);
      return { data: items.map(({ account, item }) => toJson(account, item)), next_cursor: nextCursor };
    });
  });
};

const addFailuresRoute = (app: FastifyInstance, view: View): void => {
  app.get<{ Querystring: Omit<PageQuery, 'cursor'> }>('/api/v1/failures', async (request, reply) => {
    const { account, limit } = request.query;
    const asked = parsePageQuery({ account, limit }, view.accounts());
    if ('mistake' in asked) return reply.code(400).send({ error: asked.mistake });
    return sendUnlessKnown(request, reply, await view.tests.revision(), async () => {
      const failures = await Promise.all(
        asked.accounts.map(async (account) =>
          (await view.tests.failures(account, asked.limit)).map((failure) => ({ account, failure })),
        ),
      );
      const newest = failures.flat().sort((one, other) => other.failure.at - one.failure.at);
      const data = newest.slice(0, asked.limit).map(({ account, failure }) => failureJson(account, failure));
      return { data };
    });
  });
};
