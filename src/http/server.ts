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
import { protect, type Timeouts, tlsServerFactory } from './web-config/protect.ts';
import { WatchedWebConfig } from './web-config/watched.ts';

export interface HttpServerOptions {
  readonly listen: ListenAddress;
  /** web.yml: TLS and passwords. */
  readonly webConfigFile?: string | undefined;
  readonly view: View;
  readonly reload: () => Promise<ReloadAnswer>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Disposing of it ends every connection within a second, answers under way first. */
export interface HttpServer extends AsyncDisposable {
  /** Where it listens, with the port that the system chose in place of 0. */
  readonly address: ListenAddress;
  readonly scheme: 'http' | 'https';
}

const TIMEOUTS: Timeouts = {
  /** A request has to be there whole by then. */
  requestTimeout: 10 * SECOND,
  /** A client that takes nothing for so long has left. */
  connectionTimeout: MINUTE,
  /** Longer than the usual scrape intervals, so that Prometheus keeps its connection. */
  keepAliveTimeout: 90 * SECOND,
};
const CLOSE_GRACE_MS = SECOND / 2;

/** Throws ConfigError for web.yml, and an error that names the address and what is wrong with it. */
export const startHttpServer = async (options: HttpServerOptions): Promise<HttpServer> => {
  const { listen, clock, webConfigFile, log } = options;
  const web = webConfigFile === undefined ? undefined : new WatchedWebConfig(webConfigFile, log);
  const app = createServer(options, web);
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
    scheme: web?.present().tls ? 'https' : 'http',
    [Symbol.asyncDispose]: async () => {
      await answers.ended(CLOSE_GRACE_MS, clock);
      await app.close();
    },
  };
};

const createServer = (
  { view, reload, clock, log }: HttpServerOptions,
  web: WatchedWebConfig | undefined,
): FastifyInstance => {
  const serverFactory = web && tlsServerFactory(web, TIMEOUTS);
  const app = fastify({
    ...(serverFactory && { serverFactory }),
    forceCloseConnections: true,
    ...TIMEOUTS,
    clientErrorHandler: refuseMalformed,
    frameworkErrors: (_error, _request, reply) => refuseBadUrl(reply.raw),
  });
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(SECURITY_HEADERS);
  });
  app.addHook('onResponse', async ({ method, url }, { statusCode: status, elapsedTime }) => {
    log.trace({ method, path: pathOf(url), status, durationMs: Math.round(elapsedTime) }, 'request answered');
  });
  if (web) protect(app, web);
  answerRefusals(app, log);
  addMetricsRoute(app, view, log);
  addHealthRoutes(app, view);
  addReloadRoute(app, reload);
  addStatusRoutes(app, view, clock);
  addApiRoutes(app, view);
  return app;
};
