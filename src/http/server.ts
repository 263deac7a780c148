// Creates the HTTP server with its routes and headers, and stops it when the responses in flight have ended.

import type { AddressInfo } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import type { ListenAddress } from '../config/network.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Secret } from '../lib/secret.ts';
import { SECOND } from '../lib/time.ts';
import { addApiRoutes } from './api/register.ts';
import { Connections, TurnedAway } from './connections.ts';
import type { DaemonView, ReloadAnswer } from './daemon-view.ts';
import {
  addErrorHandlers,
  respondToBadUrl,
  respondToMalformed,
  SECURITY_HEADERS,
} from './error-responses.ts';
import { addHostCheck, type HostSettings, type NameSettings } from './host-check.ts';
import { LISTEN_BACKLOG, SERVER_LIMITS, StoreReads } from './limits.ts';
import { listenError } from './listen-error.ts';
import { loggedPath, originForm } from './query.ts';
import { addMetricsRoute, addProbeRoute, addReloadRoute } from './routes.ts';
import { WatchedWebConfig } from './web-config/load.ts';
import { protect } from './web-config/protect.ts';
import { tlsServerFactory } from './web-config/tls-server.ts';

/** What routes answer with. */
export interface RouteContext {
  readonly view: DaemonView;
  readonly clock: Clock;
  readonly storeReads: StoreReads;
  readonly names: NameSettings;
  /** Returns the pages that are shown without a login, which a reload can change. */
  readonly publicPages: () => readonly PublicPage[];
}

/** A status page for everyone who knows its token. */
export interface PublicPage {
  readonly token: Secret;
  readonly title: string;
  readonly accounts: readonly string[];
}

export type AddRoutes = (app: FastifyInstance, context: RouteContext) => void;

export interface HttpServerOptions {
  readonly listen: ListenAddress;
  /** The path of web.yml, which configures TLS and passwords. */
  readonly webConfigFile?: string | undefined;
  /** Returns the settings in effect that say which names the server has; by default it has no other names. */
  readonly hosts?: () => HostSettings;
  /** Returns the names of the users of web.yml that may only read; by default none. */
  readonly readers?: () => readonly string[];
  /** By default there are none. */
  readonly publicPages?: RouteContext['publicPages'] | undefined;
  readonly view: DaemonView;
  readonly reload: () => Promise<ReloadAnswer>;
  /** Adds the status page, which stands above this folder. Without it, the server has none. */
  readonly addPage?: AddRoutes;
  /** Replaces limits of Node's server, whose time the clock does not control. */
  readonly serverLimits?: Partial<typeof SERVER_LIMITS> | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Disposing waits for responses in flight, and ends every connection within a second. */
export interface HttpServer extends AsyncDisposable {
  /** The address on which it listens. If port 0 was configured, it has the port that the system chose. */
  readonly address: ListenAddress;
  readonly scheme: 'http' | 'https';
}

const CLOSE_GRACE_MS = SECOND / 2;

/** Throws ConfigError for web.yml, and an error that names the address if the server cannot listen on it. */
export const startHttpServer = async (options: HttpServerOptions): Promise<HttpServer> => {
  const { listen, clock, webConfigFile, log } = options;
  const web = webConfigFile === undefined ? undefined : new WatchedWebConfig(webConfigFile, log);
  const app = createServer(options, web);
  const responses = new InFlightResponses(app);
  try {
    // Fastify modifies the options that it is given.
    await app.listen({ ...listen, backlog: LISTEN_BACKLOG });
  } catch (error) {
    await app.close();
    throw listenError(listen, error);
  }
  const { address: host, port } = app.server.address() as AddressInfo;
  return {
    address: { host, port },
    scheme: web?.current().tls ? 'https' : 'http',
    [Symbol.asyncDispose]: async () => {
      await responses.drain(CLOSE_GRACE_MS, clock);
      await app.close();
    },
  };
};

/** Zod checks what requests contain. Fastify's own schemas would load compilers, which take 1 MB of memory. */
const refuseSchema = (): never => {
  throw new Error('a route has a schema of Fastify, for which there is no compiler');
};
const NO_SCHEMAS = { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } };

const createServer = (options: HttpServerOptions, web: WatchedWebConfig | undefined): FastifyInstance => {
  const {
    listen,
    hosts = () => ({ allowedHosts: [] }),
    readers = () => [],
    publicPages = () => [],
    view,
    reload,
    addPage,
    serverLimits,
    clock,
    log,
  } = options;
  const limits = { ...SERVER_LIMITS, ...serverLimits };
  const serverFactory = web && tlsServerFactory(web, limits);
  const app = fastify({
    ...(serverFactory ? { serverFactory } : { http: limits }),
    forceCloseConnections: true,
    // The path of a target contains its URL, which may be as long as the headers allow.
    routerOptions: { maxParamLength: limits.maxHeaderSize },
    schemaController: NO_SCHEMAS,
    // Fastify sets its own defaults of these after the server has been created.
    ...limits,
    clientErrorHandler: (error, socket) => respondToMalformed(error, socket, connections.owesAnswer(socket)),
    rewriteUrl: ({ url = '/' }) => originForm(url),
    frameworkErrors: (_error, _request, reply) => respondToBadUrl(reply.raw),
  });
  const turnedAway = new TurnedAway(clock, log);
  app.addHook('onClose', async () => turnedAway[Symbol.dispose]());
  const connections = new Connections(app, clock, turnedAway);
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(SECURITY_HEADERS);
  });
  app.addHook('onResponse', async (request, { statusCode: status, elapsedTime }) => {
    const { method } = request;
    const path = loggedPath(request);
    log.trace({ method, path, status, durationMs: Math.round(elapsedTime) }, 'request answered');
  });
  const names = { listen, settings: hosts };
  addHostCheck(app, { ...names, log });
  if (web) protect(app, { web, readers, clock, log });
  addErrorHandlers(app, log, turnedAway);
  const storeReads = new StoreReads(clock);
  addMetricsRoute(app, view, log);
  addHealthRoutes(app, view);
  addReloadRoute(app, reload);
  addProbeRoute(app, view);
  addPage?.(app, { view, clock, storeReads, names, publicPages });
  addApiRoutes(app, view, storeReads, names);
  return app;
};

/** Serves GET /-/healthy, which decides about a restart, and /-/ready, which decides about sending requests. */
const addHealthRoutes = (app: FastifyInstance, view: DaemonView): void => {
  app.get('/-/healthy', async () => 'proxywatch is healthy.\n');
  app.get('/-/ready', async (_request, reply) => {
    const reasons = await view.notReadyReasons();
    if (reasons.length === 0) return 'proxywatch is ready.\n';
    return reply.code(503).send(['proxywatch is not ready:', ...reasons, ''].join('\n'));
  });
};

/** Tracks the responses in flight, so that a stop can wait a moment for them to end. */
class InFlightResponses {
  readonly #open = new Set<Promise<void>>();

  constructor(app: FastifyInstance) {
    app.addHook('onRequest', async (_request, { raw: response }) => {
      // A response closes when it has been sent, and when its connection is lost.
      const closed = new Promise<void>((resolve) => response.once('close', resolve));
      this.#open.add(closed);
      closed.then(() => this.#open.delete(closed));
    });
  }

  /** Resolves when the responses that are open now have ended, or after `graceMs` (ms). */
  async drain(graceMs: number, clock: Clock): Promise<void> {
    const done = new AbortController();
    const timeout = clock.sleep(graceMs, done.signal).catch(() => {});
    await Promise.race([Promise.all(this.#open), timeout]);
    done.abort();
  }
}
