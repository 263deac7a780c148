// The HTTP server: its routes, what every answer carries, and its end.

import type { AddressInfo } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import type { ListenAddress } from '../config/network.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { MINUTE, SECOND } from '../lib/time.ts';
import { addApiRoutes } from './api/register.ts';
import { addHealthRoutes } from './health-routes.ts';
import { cannotListen } from './listen-error.ts';
import { addMetricsRoute } from './metrics-route.ts';
import { OpenAnswers } from './open-answers.ts';
import { pathOf } from './path.ts';
import { answerRefusals, refuseBadUrl, refuseMalformed } from './refusals.ts';
import { addReloadRoute } from './reload-route.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { addStatusRoutes } from './status-routes.ts';
import type { ReloadAnswer, View } from './view.ts';

export interface HttpServerOptions {
  readonly listen: ListenAddress;
  readonly view: View;
  readonly reload: () => Promise<ReloadAnswer>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Disposing of it ends every connection within a second, answers under way first. */
export interface HttpServer extends AsyncDisposable {
  /** Where it listens, with the port that the system chose in place of 0. */
  readonly address: ListenAddress;
}

/** A request has to be there whole by then. */
const REQUEST_TIMEOUT_MS = 10 * SECOND;
/** A client that takes nothing for so long has left. */
const IDLE_TIMEOUT_MS = MINUTE;
/** Longer than the usual scrape intervals, so that Prometheus keeps its connection. */
const KEEP_ALIVE_MS = 90 * SECOND;
const CLOSE_GRACE_MS = SECOND / 2;

/** Throws an error that names the address and what is wrong with it. */
export const startHttpServer = async (options: HttpServerOptions): Promise<HttpServer> => {
  const { listen, clock } = options;
  const app = createServer(options);
  const answers = new OpenAnswers(app);
  try {
    // Fastify writes into what it is given.
    await app.listen({ ...listen });
  } catch (error) {
    await app.close();
    throw cannotListen(listen, error);
  }
  const { address: host, port } = app.server.address() as AddressInfo;
  return {
    address: { host, port },
    [Symbol.asyncDispose]: async () => {
      await answers.ended(CLOSE_GRACE_MS, clock);
      await app.close();
    },
  };
};

const createServer = ({ view, reload, clock, log }: HttpServerOptions): FastifyInstance => {
  const app = fastify({
    forceCloseConnections: true,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: IDLE_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    clientErrorHandler: refuseMalformed,
    frameworkErrors: (_error, _request, reply) => refuseBadUrl(reply.raw),
  });
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(SECURITY_HEADERS);
  });
  app.addHook('onResponse', async ({ method, url }, { statusCode: status, elapsedTime }) => {
    log.trace({ method, path: pathOf(url), status, durationMs: Math.round(elapsedTime) }, 'request answered');
  });
  answerRefusals(app, log);
  addMetricsRoute(app, view, log);
  addHealthRoutes(app, view);
  addReloadRoute(app, reload);
  addStatusRoutes(app, view, clock);
  addApiRoutes(app, view);
  return app;
};
