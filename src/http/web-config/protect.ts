// Applies web.yml to the server: TLS for connections, passwords for requests, headers for answers.

import { createServer, type Server } from 'node:https';
import type { FastifyHttpOptions, FastifyInstance } from 'fastify';
import { SECOND } from '../../lib/time.ts';
import { BasicAuth } from './basic-auth.ts';
import { mayConnect, requestsCertificate } from './client-certificate.ts';
import type { WebConfig } from './load.ts';
import type { WatchedWebConfig } from './watched-web-config.ts';

const HANDSHAKE_TIMEOUT_MS = 10 * SECOND;
const CHALLENGE = 'Basic realm="proxywatch", charset="UTF-8"';

type Factory = NonNullable<FastifyHttpOptions<Server>['serverFactory']>;

/** The timeouts that Fastify sets on the servers that it creates itself (ms). */
export interface Timeouts {
  readonly requestTimeout: number;
  readonly connectionTimeout: number;
  readonly keepAliveTimeout: number;
}

/** Returns undefined if web.yml has no TLS. */
export const tlsServerFactory = (
  web: WatchedWebConfig,
  { requestTimeout, connectionTimeout, keepAliveTimeout }: Timeouts,
): Factory | undefined => {
  const { tls } = web.current();
  if (!tls) return undefined;
  return (handler) => {
    // Certificates are checked in applyChanges by the current settings.
    const certificateOptions = { requestCert: requestsCertificate(tls), rejectUnauthorized: false };
    const options = { ...tls.context, ...certificateOptions, handshakeTimeout: HANDSHAKE_TIMEOUT_MS };
    const server = createServer({ ...options, requestTimeout, keepAliveTimeout }, handler);
    server.setTimeout(connectionTimeout);
    applyChanges(web, server);
    return server;
  };
};

/** Uses the current certificates for each handshake, and checks the client by the current settings after it. */
const applyChanges = (web: WatchedWebConfig, server: Server): void => {
  let applied = web.current();
  server.prependListener('connection', () => {
    const current = web.current();
    if (current === applied || !current.tls) return;
    server.setSecureContext(current.tls.context);
    applied = current;
  });
  server.prependListener('secureConnection', (socket) => {
    const { tls } = web.current();
    if (!tls || !mayConnect(socket, tls)) socket.destroy();
  });
};

/** Must be called before any other hook can answer. */
export const protect = (app: FastifyInstance, web: WatchedWebConfig): void => {
  const authOf = authForConfig();
  app.addHook('onRequest', async ({ headers }, reply) => {
    const auth = authOf(web.current());
    if (!auth || (await auth.isAuthorized(headers.authorization))) return;
    return reply
      .code(401)
      .header('www-authenticate', CHALLENGE)
      .send({ error: 'a user name and a password are needed' });
  });
  app.addHook('onSend', async (_request, reply) => {
    reply.headers(web.current().headers);
  });
};

/** Keeps the verified passwords until the configuration changes. */
const authForConfig = (): ((config: WebConfig) => BasicAuth | undefined) => {
  let cached: { readonly config: WebConfig; readonly auth: BasicAuth | undefined } | undefined;
  return (config) => {
    if (cached?.config !== config) {
      cached = { config, auth: config.users.size > 0 ? new BasicAuth(config.users) : undefined };
    }
    return cached.auth;
  };
};
