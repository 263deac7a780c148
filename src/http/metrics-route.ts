// Serves GET /metrics: the prepared exposition, or the part for the selected accounts and collectors.

import type { FastifyInstance } from 'fastify';
import type { Log } from '../lib/log.ts';
import type { DaemonView } from './daemon-view.ts';
import { findUnknown, type Parameter, valuesOf } from './query.ts';
import { findUnknownAccount } from './unknown-account.ts';

interface Query {
  readonly account?: Parameter;
  readonly collector?: Parameter;
}

export const addMetricsRoute = (app: FastifyInstance, view: DaemonView, log: Log): void => {
  app.route<{ Querystring: Query }>({
    method: ['GET', 'HEAD'],
    url: '/metrics',
    handler: async ({ method, query, headers, raw: { socket } }, reply) => {
      const accounts = valuesOf(query.account);
      const collectors = valuesOf(query.collector);
      const unknown =
        findUnknownAccount(view, accounts) ?? findUnknown('collector', collectors, view.collectors());
      if (unknown) return reply.code(400).send({ error: unknown.mistake });
      const { accept, 'accept-encoding': acceptEncoding } = headers;
      const request = { accept, acceptEncoding, accounts, collectors };
      const answer = await view.scrape(request, () => socket.destroyed);
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
