// GET /metrics: the exposition, whole or in part, as it lies ready.

import type { FastifyInstance } from 'fastify';
import type { Log } from '../lib/log.ts';
import { type Parameter, unknownIn, valuesOf } from './query.ts';
import type { View } from './view.ts';

interface Query {
  readonly account?: Parameter;
  readonly collector?: Parameter;
}

export const addMetricsRoute = (app: FastifyInstance, view: View, log: Log): void => {
  app.route<{ Querystring: Query }>({
    method: ['GET', 'HEAD'],
    url: '/metrics',
    handler: async ({ method, query, headers }, reply) => {
      const accounts = valuesOf(query.account);
      const collectors = valuesOf(query.collector);
      const unknown =
        unknownIn('account', accounts, view.accounts()) ??
        unknownIn('collector', collectors, view.collectors());
      if (unknown) return reply.code(400).send({ error: unknown.mistake });
      const { accept, 'accept-encoding': acceptEncoding } = headers;
      const answer = await view.scrape({ accept, acceptEncoding, accounts, collectors });
      reply.headers({
        'content-type': answer.contentType,
        'content-length': answer.contentLength,
        vary: 'accept, accept-encoding',
      });
      if (answer.contentEncoding) reply.header('content-encoding', answer.contentEncoding);
      if (method === 'HEAD') {
        answer.body.destroy();
        return reply.send();
      }
      answer.body.once('error', ({ message, stack }) =>
        log.error({ error: message, stack }, 'the body of a scrape broke off'),
      );
      return reply.send(answer.body);
    },
  });
};
